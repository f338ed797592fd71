/*
** app.h - what the files of the mascon program share
*/

#ifndef APP_H
#define APP_H

#include <stdbool.h>

#include "mcl_lua.h"

/* {------- calling Lua (run.c) ------- */

/* calls answer Ctrl-C by an error in this state, the main one */
void app_watch (lua_State *L);

/*
** The session outlives Ctrl-C: a second one within STUBBORN seconds does not
** end the process.  Without it the second does, as in 'lua'.
*/
void app_persist (void);

/*
** Call the function below its 'nargs' arguments; Ctrl-C raises "interrupted".
** Returns a Lua status; an error's message on the stack has a traceback, in a
** session only the calls of the user's code.
*/
int app_call (lua_State *L, int nargs, int nresults);

/* show and pop the message of a status that is not LUA_OK; return 'status'.
   'who' begins the line; NULL: nothing does */
int app_report (lua_State *L, int status, const char *who);

/* -------} */


/* let 'require' find the C modules that came with this program (cpath.c) */
void app_addcpath (lua_State *L);

/* run the prompt until the input ends (prompt.c) */
void app_prompt (lua_State *L);


/* {------- line editing (edit.c) ------- */

/* asked by Tab: what is before the cursor; answers by the two below */
typedef void edit_completer (void *ud, const char *text, size_t size);

typedef enum edit_status { EDIT_LINE, EDIT_END, EDIT_CLEARED } edit_status;

/* begin; where stdin and stdout are no terminal, lines are read plainly */
void edit_open (edit_completer *f, void *ud);
void edit_close (void);

/*
** Read a line, without its newline; it is valid until the next call.
** EDIT_CLEARED: Ctrl-C.
*/
edit_status edit_read (const char *prompt, const char **line, size_t *size);

/* within a completer: insert at the cursor; print below, and the line anew */
void edit_insert (const char *text);
void edit_list (const char *text);

/* add a line to the history, of this session and the next ones */
void edit_remember (const char *line);

/* -------} */

#endif
