/*
** edit.c - line editing and history by libedit, or plain lines
*/

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "app.h"

#define REMEMBERED 1000  /* lines of history */

static EditLine *editor;  /* NULL: no terminal, lines are read plainly */
static History *past;
static const char *shown;
static char *plain;       /* the line last read plainly */
static size_t plainsize;
static volatile sig_atomic_t cleared;


static void onsignal (int sig) {
  (void)sig;
  cleared = 1;
}


static char *getprompt (EditLine *e) {
  (void)e;
  return (char *)shown;
}


/* {------- the file of the history: one line each, oldest first ------- */

/* its name: false where it has none */
static bool historyname (char *path, size_t size) {
  const char *name = getenv("MASCON_HISTORY");
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  int n;
  if (name != NULL) n = snprintf(path, size, "%s", name);
  else if (state != NULL && state[0] == '/')
    n = snprintf(path, size, "%s/mascon/history", state);
  else if (home != NULL)
    n = snprintf(path, size, "%s/.local/state/mascon/history", home);
  else return false;
  return 0 < n && n < (int)size;
}


/* the folders that lead to it */
static void makefolders (char *path) {
  for (char *p = path + 1; (p = strchr(p, '/')) != NULL; p++) {
    *p = '\0';
    mkdir(path, 0700);
    *p = '/';
  }
}


/* open it, to read or to append; NULL where there is none */
static FILE *historyfile (bool append) {
  const int create = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
  char path[4096];
  int fd;
  if (!historyname(path, sizeof path)) return NULL;
  if (!append) return fopen(path, "r");
  fd = open(path, create, 0600);  /* it is nobody else's business */
  if (fd < 0 && errno == ENOENT) {
    makefolders(path);
    fd = open(path, create, 0600);
  }
  return fd >= 0 ? fdopen(fd, "a") : NULL;
}


static void loadhistory (void) {
  HistEvent ev;
  FILE *f = historyfile(false);
  char *line = NULL;
  size_t size = 0;
  if (f == NULL) return;
  while (getline(&line, &size, f) > 0) history(past, &ev, H_ENTER, line);
  free(line);
  fclose(f);
}


void edit_remember (const char *line) {
  HistEvent ev;
  FILE *f;
  if (editor == NULL || *line == '\0') return;
  if (history(past, &ev, H_FIRST) == 0 &&
      strncmp(ev.str, line, strlen(line)) == 0 &&
      strcspn(ev.str, "\n") == strlen(line)) return;  /* the same again */
  history(past, &ev, H_ENTER, line);
  f = historyfile(true);
  if (f == NULL) return;
  fprintf(f, "%s\n", line);
  fclose(f);
}

/* -------} */


/* {------- completion ------- */

static edit_completer *completer;
static void *completerdata;
static bool listed;


void edit_insert (const char *text) {
  if (*text != '\0') el_insertstr(editor, text);
}


void edit_list (const char *text) {
  printf("\n%s", text);
  fflush(stdout);
  listed = true;
}


static unsigned char complete (EditLine *e, int key) {
  const LineInfo *line = el_line(e);
  (void)key;
  listed = false;
  completer(completerdata, line->buffer, (size_t)(line->cursor - line->buffer));
  return listed ? CC_REDISPLAY : CC_REFRESH;
}

/* -------} */


void edit_open (edit_completer *f, void *ud) {
  HistEvent ev;
  completer = f;
  completerdata = ud;
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return;
  setlocale(LC_CTYPE, "");  /* for what is typed; numbers keep their '.' */
  past = history_init();
  editor = past != NULL ? el_init("mascon", stdin, stdout, stderr) : NULL;
  if (editor == NULL) return;
  history(past, &ev, H_SETSIZE, REMEMBERED);
  el_set(editor, EL_PROMPT, getprompt);
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_HIST, history, past);
  el_set(editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
  el_set(editor, EL_ADDFN, "mascon-complete", "complete a name", complete);
  el_set(editor, EL_BIND, "^I", "mascon-complete", NULL);
  el_source(editor, NULL);
  loadhistory();
}


void edit_close (void) {
  if (editor != NULL) el_end(editor);
  if (past != NULL) history_end(past);
  free(plain);
  editor = NULL;
  past = NULL;
  plain = NULL;
}


static const char *getedited (size_t *size) {
  int n = 0;
  const char *line;
  el_resize(editor);
  line = el_gets(editor, &n);
  if (cleared) el_reset(editor);
  if (line == NULL || n <= 0) {  /* the cursor stands behind the prompt */
    putchar('\n');
    fflush(stdout);
    return NULL;
  }
  *size = (size_t)n;
  return line;
}


static const char *getplain (const char *prompt, size_t *size) {
  ssize_t n;
  if (isatty(STDIN_FILENO)) fputs(prompt, stdout);
  fflush(stdout);
  n = getline(&plain, &plainsize, stdin);
  if (n < 0) return NULL;
  *size = (size_t)n;
  return plain;
}


edit_status edit_read (const char *prompt, const char **line, size_t *size) {
  struct sigaction action, before;
  memset(&action, 0, sizeof action);  /* no SA_RESTART: it ends the read */
  action.sa_handler = onsignal;
  sigemptyset(&action.sa_mask);
  cleared = 0;
  shown = prompt;
  sigaction(SIGINT, &action, &before);
  *line = editor != NULL ? getedited(size) : getplain(prompt, size);
  sigaction(SIGINT, &before, NULL);
  if (cleared) {
    clearerr(stdin);
    return EDIT_CLEARED;
  }
  if (*line == NULL) return EDIT_END;
  if (*size > 0 && (*line)[*size - 1] == '\n') --*size;
  return EDIT_LINE;
}
