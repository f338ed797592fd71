/*
** edit.c - line editing and history by libedit, or plain lines
*/

#include <histedit.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* open it; NULL where there is none */
static FILE *historyfile (const char *mode) {
  const char *name = getenv("MASCON_HISTORY"), *home = getenv("HOME");
  char path[4096];
  int n;
  if (name != NULL) return *name != '\0' ? fopen(name, mode) : NULL;
  if (home == NULL) return NULL;
  n = snprintf(path, sizeof path, "%s/.mascon_history", home);
  return n < (int)sizeof path ? fopen(path, mode) : NULL;
}


static void loadhistory (void) {
  HistEvent ev;
  FILE *f = historyfile("r");
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
  f = historyfile("a");
  if (f == NULL) return;
  fprintf(f, "%s\n", line);
  fclose(f);
}

/* -------} */


void edit_open (void) {
  HistEvent ev;
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
