/*
** mcl_image.c - images: levels, colours, files
**
** The table "pixels" of the core, on which image.lua stands: it turns percentiles
** into levels and checks what users write.
*/

#include "mcl.h"


static mascon_levels checklevels (lua_State *L, int arg) {
  mascon_levels l = MASCON_LEVELS_INIT;
  l.black = luaL_checknumber(L, arg);
  l.white = luaL_checknumber(L, arg + 1);
  l.gamma = luaL_checknumber(L, arg + 2);
  return l;
}


static int pushclipped (lua_State *L, const mascon_clipped *c) {
  lua_pushinteger(L, c->low);
  lua_pushinteger(L, c->high);
  lua_pushinteger(L, c->nan);
  return 4;
}


/*
** scale(image, black, white, gamma, dtype, opts) -> image, low, high, nan:
** a new array of that dtype ("u8", "u16", "f32", "f64") and how many elements
** were saturated.  opts: threads, progress
*/
static int scale (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  mascon_levels levels = checklevels(L, 2);
  mascon_dtype t = mcl_optdtype(L, 5, MASCON_U8);
  mascon_clipped c = MASCON_CLIPPED_INIT;
  mascon_array *out;
  mcl_call call;
  lua_settop(L, 6);
  mcl_begin(L, &call, 6);
  out = mcl_newarray(L, t, a->ndim, a->shape, false);
  mcl_end(L, &call, mascon_image_scale(a, &levels, out, &c, &call.ex));
  return pushclipped(L, &c);
}


/*
** paint(image, black, white, gamma, map, opts [, out [, light, black, white,
** gamma]]) -> rgb, low, high, nan: h x w x 3 bytes, new, or 'out', to which
** colours are added.  opts: threads, progress
*/
static int paint (lua_State *L) {
  const mascon_array *a = mcl_checkarray(L, 1);
  const mascon_array *map = mcl_checkarray(L, 5);
  mascon_colour_opts o = MASCON_COLOUR_INIT;
  mascon_clipped c = MASCON_CLIPPED_INIT;
  mascon_array *out;
  mcl_call call;
  o.levels = checklevels(L, 2);
  lua_settop(L, 11);
  if (a->ndim != 2) mcl_typeerror(L, 1, "matrix");
  if (!lua_isnil(L, 8)) {
    o.light = mcl_checkarray(L, 8);
    o.lightlevels = checklevels(L, 9);
  }
  mcl_begin(L, &call, 6);
  o.add = !lua_isnil(L, 7);
  if (o.add) {
    out = mcl_checkarray(L, 7);
    lua_pushvalue(L, 7);
  }
  else {
    int64_t shape[3] = {a->shape[0], a->shape[1], 3};
    out = mcl_newarray(L, MASCON_U8, 3, shape, false);
  }
  mcl_end(L, &call, mascon_image_colour(a, map, &o, out, &c, &call.ex));
  return pushclipped(L, &c);
}


/*
** colormap(name) -> a new 256 x 3 array of bytes, the colours from that of
** black to that of white.  Maps: "viridis", "magma", "inferno", "turbo",
** "hot", "gray"
*/
static int colormap (lua_State *L) {
  static const int64_t shape[2] = {256, 3};
  const char *name = luaL_checkstring(L, 1);
  mascon_array *out = mcl_newarray(L, MASCON_U8, 2, shape, false);
  if (mascon_colormap(name, out->data) == MASCON_OK) return 1;
  lua_pushliteral(L, "");
  for (int i = 0; (name = mascon_colormap_name(i)) != NULL; i++) {
    lua_pushfstring(L, "%s%s\"%s\"", lua_tostring(L, -1),
                    i == 0 ? "" : ", ", name);
    lua_remove(L, -2);
  }
  return luaL_argerror(L, 1, lua_pushfstring(L,
                       "one of %s expected, got \"%s\"", lua_tostring(L, -1),
                       lua_tostring(L, 1)));
}


/* nil and the message on top of the stack */
static int refuse (lua_State *L) {
  luaL_pushfail(L);
  lua_insert(L, -2);
  return 2;
}


/* true, or nil and why */
static int answer (lua_State *L, int status, const mascon_why *why) {
  if (status == MASCON_OK) {
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_pushstring(L, why->text);
  return refuse(L);
}


/* call the function at index 2; its error stays on the stack */
static int fill (void *ud, const char *temp) {
  lua_State *L = ud;
  lua_pushvalue(L, 2);
  lua_pushstring(L, temp);
  return lua_pcall(L, 1, 0, 0);
}


/*
** replace(path, f) -> true, or nil and a message (or what f raised): make a
** file by f(temp), which writes the file 'temp'; whole or not at all: not if
** f raises
*/
static int replace (lua_State *L) {
  const char *path = mcl_checkpath(L, 1);
  mascon_why why;
  int status;
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  status = mascon_file_replace(path, fill, L, &why);
  return status == MASCON_ECANCEL ? refuse(L) : answer(L, status, &why);
}


/* loadpnm(path) -> image, or nil and a message: binary PGM and PPM files */
static int loadpnm (lua_State *L) {
  const char *path = mcl_checkpath(L, 1);
  mascon_array *a = mcl_pushhandle(L);
  mascon_why why;
  if (mascon_pnm_load(path, a, &why) == MASCON_OK) {
    mcl_adopt(L, a);
    return 1;
  }
  lua_pushstring(L, why.text);
  return refuse(L);
}


/* savepnm(path, image) -> true, or nil and a message: h x w or h x w x 3, u8
   or u16 */
static int savepnm (lua_State *L) {
  const char *path = mcl_checkpath(L, 1);
  const mascon_array *a = mcl_checkarray(L, 2);
  mascon_why why;
  return answer(L, mascon_pnm_save(a, path, &why), &why);
}


void mcl_openimage (lua_State *L) {
  static const luaL_Reg funcs[] = {
    {"scale", scale},
    {"paint", paint},
    {"colormap", colormap},
    {"replace", replace},
    {"loadpnm", loadpnm},
    {"savepnm", savepnm},
    {NULL, NULL}
  };
  lua_newtable(L);
  mcl_addfuncs(L, funcs);
  lua_setfield(L, -2, "pixels");
}
