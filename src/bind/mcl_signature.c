/*
** mcl_signature.c - "T:f32|f64 (n, k), T (k) -> T (n)"
*/

#include <ctype.h>
#include <string.h>

#include "mcl_signature.h"


/* {------- parsing ------- */

typedef struct parser {
  lua_State *L;
  const char *text, *at;
  mcl_signature *s;
} parser;


static void fail (const parser *p, const char *what) {
  luaL_error(p->L, "signature \"%s\": %s at %s%s%s", p->text, what,
             *p->at == '\0' ? "" : "'", *p->at == '\0' ? "its end" : p->at,
             *p->at == '\0' ? "" : "'");
}


static void skip (parser *p) {
  p->at += strspn(p->at, " \t\n");
}


static bool accept (parser *p, const char *token) {
  size_t n = strlen(token);
  skip(p);
  if (strncmp(p->at, token, n) != 0) return false;
  p->at += n;
  return true;
}


static size_t wordlength (parser *p) {
  size_t n = 0;
  skip(p);
  while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_') n++;
  return n;
}


static unsigned dtype (parser *p) {
  size_t n = wordlength(p);
  for (int t = 0; t < MASCON_NDTYPE; t++) {
    const char *name = mascon_dtype_name((mascon_dtype)t);
    if (strlen(name) != n || strncmp(name, p->at, n) != 0) continue;
    p->at += n;
    return 1u << t;
  }
  fail(p, "dtype f64, f32, i64, i32, u16 or u8 expected");
  return 0;  /* not reached */
}


static unsigned dtypes (parser *p) {
  unsigned set = dtype(p);
  while (accept(p, "|")) set |= dtype(p);
  return set;
}


/* a letter's dtypes, from where it was explained; 0: nowhere */
static unsigned explained (const mcl_signature *s, int letter) {
  for (int i = 0; i < s->nin; i++)
    if (s->arg[i].variable == letter) return s->arg[i].dtypes;
  return 0;
}


static void letter (parser *p, mcl_argument *a, bool input) {
  a->variable = *p->at;
  a->dtypes = explained(p->s, a->variable);
  if (a->dtypes == 0 && !input)
    fail(p, "a letter that no input explains");
  p->at++;
  if (a->dtypes != 0) return;
  if (!accept(p, ":")) fail(p, "':' and the dtypes of the letter expected");
  a->dtypes = dtypes(p);
}


static int axis (parser *p, bool input) {
  mcl_signature *s = p->s;
  size_t n = wordlength(p);
  bool number = isdigit((unsigned char)*p->at);
  mcl_axis *x;
  int k = 0;
  if (n == 0) fail(p, "axis expected");
  if (n >= sizeof x->name) fail(p, "shorter name expected");
  while (k < s->naxes && (strncmp(s->axis[k].name, p->at, n) != 0 ||
                          s->axis[k].name[n] != '\0')) k++;
  if (k == MCL_AXES) fail(p, "too many axes");
  x = &s->axis[k];
  if (k == s->naxes) {
    s->naxes++;
    memset(x, 0, sizeof *x);
    memcpy(x->name, p->at, n);
    x->size = -1;
    if (number) {
      if (strspn(x->name, "0123456789") != n || n > 18)
        fail(p, "size or name expected");
      x->size = strtoll(x->name, NULL, 10);
    }
  }
  x->known = x->known || input || number;
  p->at += n;
  return k;
}


static void argument (parser *p, bool input) {
  mcl_signature *s = p->s;
  mcl_argument *a = &s->arg[s->nin + s->nout];
  if (s->nin + s->nout == MASCON_KERNELARGS) fail(p, "too many arguments");
  memset(a, 0, sizeof *a);
  if (wordlength(p) == 1 && isupper((unsigned char)*p->at))
    letter(p, a, input);
  else if (input) a->dtypes = dtypes(p);
  else a->dtypes = dtype(p);
  if (!accept(p, "(")) fail(p, "'(' expected");
  if (!accept(p, ")")) do {
    if (a->ndim == MASCON_MAXDIM) fail(p, "')' expected");
    a->axis[a->ndim++] = axis(p, input);
  } while (!accept(p, ")") && (accept(p, ",") ||
                               (fail(p, "',' or ')' expected"), false)));
  if (input) s->nin++;
  else s->nout++;
}


/* outputs have rows in common, for threads to share */
static void checkrows (const parser *p) {
  const mcl_argument *out = p->s->arg + p->s->nin;
  for (int i = 1; i < p->s->nout; i++)
    if ((out[i].ndim == 0) != (out[0].ndim == 0) ||
        (out[0].ndim > 0 && out[i].axis[0] != out[0].axis[0]))
      luaL_error(p->L, "signature \"%s\": outputs of one first axis expected",
                 p->text);
}


void mcl_parse (lua_State *L, const char *text, mcl_signature *s) {
  parser p = {L, text, text, s};
  memset(s, 0, sizeof *s);
  if (!accept(&p, "->")) {
    do argument(&p, true);
    while (accept(&p, ","));
    if (!accept(&p, "->")) fail(&p, "',' or '->' expected");
  }
  do argument(&p, false);
  while (accept(&p, ","));
  skip(&p);
  if (*p.at != '\0') fail(&p, "',' or the end expected");
  checkrows(&p);
}

/* -------} */


/* {------- a call ------- */

void mcl_bind (const mcl_signature *s, mcl_binding *b) {
  b->s = s;
  for (int k = 0; k < s->naxes; k++) b->size[k] = s->axis[k].size;
  for (int i = 0; i < MASCON_KERNELARGS; i++) b->dtype[i] = MASCON_NDTYPE;
}


/* the dtype that argument 'i' shares with one that is known, or MASCON_NDTYPE */
static mascon_dtype shared (const mcl_binding *b, int i) {
  const mcl_argument *a = b->s->arg;
  if (b->dtype[i] != MASCON_NDTYPE || a[i].variable == 0) return b->dtype[i];
  for (int k = 0; k < b->s->nin; k++)
    if (a[k].variable == a[i].variable && b->dtype[k] != MASCON_NDTYPE)
      return b->dtype[k];
  return MASCON_NDTYPE;
}


static bool fitsdtype (const mcl_binding *b, int i, mascon_dtype t) {
  mascon_dtype want = shared(b, i);
  if (want != MASCON_NDTYPE) return t == want;
  return t != MASCON_NDTYPE && (b->s->arg[i].dtypes >> t & 1) != 0;
}


bool mcl_bindinput (mcl_binding *b, int i, const mascon_array *a) {
  const mcl_argument *want = &b->s->arg[i];
  mascon_dtype t = mascon_dtype_of(a);
  int new = 0;  /* bit k: axis k of 'a' told its size */
  if (a->ndim != want->ndim || !fitsdtype(b, i, t)) return false;
  for (int k = 0; k < a->ndim; k++) {
    int64_t *size = &b->size[want->axis[k]];
    if (*size < 0) {
      *size = a->shape[k];
      new |= 1 << k;
    }
    else if (*size != a->shape[k]) {  /* take it back, for the message */
      while (k-- > 0)
        if (new >> k & 1) b->size[want->axis[k]] = -1;
      return false;
    }
  }
  b->dtype[i] = t;
  return true;
}


mascon_dtype mcl_bounddtype (const mcl_binding *b, int i) {
  mascon_dtype t = shared(b, i);
  if (t == MASCON_NDTYPE)
    for (t = 0; (b->s->arg[i].dtypes >> t & 1) == 0; ) t++;
  return t;
}


/* push the dtypes that will do; how many values were pushed */
static int pushdtypes (lua_State *L, const mcl_binding *b, int i) {
  mascon_dtype want = shared(b, i);
  unsigned set = want != MASCON_NDTYPE ? 1u << want : b->s->arg[i].dtypes;
  int n = 0;
  for (int t = 0; t < MASCON_NDTYPE; t++) {
    if ((set >> t & 1) == 0) continue;
    set &= ~(1u << t);
    if (n > 0) lua_pushstring(L, set != 0 ? ", " : " or ");
    lua_pushstring(L, mascon_dtype_name((mascon_dtype)t));
    n += n > 0 ? 2 : 1;
  }
  return n;
}


/* is it worth telling the axes: is a size known, or are two to be equal? */
static bool telling (const mcl_binding *b, const mcl_argument *a) {
  for (int k = 0; k < a->ndim; k++) {
    if (b->size[a->axis[k]] >= 0) return true;
    for (int j = 0; j < k; j++)
      if (a->axis[j] == a->axis[k]) return true;
  }
  return false;
}


static int pushaxes (lua_State *L, const mcl_binding *b,
                     const mcl_argument *a) {
  if (!telling(b, a)) return 0;
  for (int k = 0; k < a->ndim; k++) {
    int64_t size = b->size[a->axis[k]];
    lua_pushstring(L, k == 0 ? " " : " x ");
    if (size >= 0) lua_pushfstring(L, "%I", (lua_Integer)size);
    else lua_pushstring(L, b->s->axis[a->axis[k]].name);
  }
  return 2 * a->ndim;
}


const char *mcl_pushexpected (lua_State *L, const mcl_binding *b, int i) {
  const mcl_argument *a = &b->s->arg[i];
  int n = pushdtypes(L, b, i);
  if (a->ndim == 1) lua_pushliteral(L, " vector");
  else if (a->ndim == 2) lua_pushliteral(L, " matrix");
  else lua_pushfstring(L, " %d-D array", a->ndim);
  n += 1 + pushaxes(L, b, a);
  lua_concat(L, n);
  return lua_tostring(L, -1);
}

/* -------} */
