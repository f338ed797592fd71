/*
** tspots.h - drawing spots into a tile of REAL: part of trender.h
**
** Profiles of a group of small spots are computed first, then the spots are
** drawn: the branches of one loop do not wait for the arithmetic of the other.
** A product of profiles below the smallest normal number adds nothing.
*/

#define PITCH ((ptrdiff_t)(MCK_PITCH / sizeof(REAL)))

/* profiles of a group, as the rows and the columns want them */
typedef struct G(profiles) {
  _Alignas(64) REAL f[GROUP][SMALL + MCK_PAD];
  _Alignas(64) REAL p[GROUP][SMALL + MCK_PAD];
  part at[GROUP];
} G(profiles);


/* n <= SMALL values of a bell at first, first + 1, ...; false if some are so
   small that products need care */
INLINE int G(smallbell) (REAL *out, double c, double s, double amp,
                         double first, int64_t n) {
  double inverse = 1 / s;
  vd x = first + ramp();
  vl lane = lanes(), bad = {0};
  for (int64_t j = 0; j < n; j += 2 * VD, x += 2 * VD, lane += 2 * VD) {
    vd d = (x - c) * inverse, e = (x + VD - c) * inverse;
    vd u = vexp(d * d * -0.5) * amp, v = {0};
    u = bounded(u, lane, n, LEAST, &bad);
    if (n - j > VD)
      v = bounded(vexp(e * e * -0.5) * amp, lane + VD, n, LEAST, &bad);
    PAIR(out + j, u, v);
  }
  return !anyl(bad);
}


/* the same, integrated over the pixels */
INLINE int G(smalltails) (REAL *out, double c, double s, double amp,
                          double first, int64_t n) {
  double inverse = 1 / s, edge[SMALL + 2 * VD + 1];
  vd x = first - 0.5 + ramp();
  vl lane = lanes(), bad = {0};
  for (int64_t j = 0; j <= n; j += VD, x += VD) {
    vd d = (x - c) * inverse;
    stored(edge + j, (vd)((vl)vtail(d) | ((vl)d & INT64_MIN)));
  }
  for (int64_t j = 0; j < n; j += 2 * VD, lane += 2 * VD) {
    vd half[2];
    for (int i = 0; i < 2; i++) {
      vd l = loadd(edge + j + i * VD), r = loadd(edge + j + i * VD + 1);
      vd one = maskd(alld(1), ((vl)l < 0) & ((vl)r >= 0));
      half[i] = bounded((one + (l - r)) * amp, lane + i * VD, n, LEAST, &bad);
    }
    PAIR(out + j, half[0], half[1]);
  }
  return !anyl(bad);
}


/* o[i][j] += f[i] * p[j]; up to three rows more are added to, with f = 0 */
INLINE void G(addrows) (REAL *o, const REAL *f, int32_t m, const REAL *p,
                        int32_t n) {
  for (int32_t j = 0; j < n; j += LANES) {
    VEC v = LOAD(p + j);
    REAL *q = o + j;
    for (int32_t i = 0; i < m; i += 4, q += 4 * PITCH)
      for (int32_t r = 0; r < 4; r++)
        STORE(q + r * PITCH, LOAD(q + r * PITCH) + f[i + r] * v);
  }
}


/* the same where products may be below the smallest normal number, or a profile
   infinite: infinity times 0 adds nothing */
static void G(carefulrows) (REAL *o, const REAL *f, int32_t m, const REAL *p,
                            int32_t n) {
  for (int32_t i = 0; i < m; i++, o += PITCH)
    for (int32_t j = 0; j < n; j += LANES)
      STORE(o + j, LOAD(o + j) + PRODUCT(f[i], LOAD(p + j)));
}


/* a profile of REAL; '*least' is not above the least nonzero |out[j]| */
static void G(profile) (REAL *out, double *room, const mck_axis *a,
                        double first, int32_t n, double *least) {
  *least = K(gauss_profile)(room, a, first, (size_t)n);
  if (sizeof(REAL) == sizeof(float))
    *least = K(gauss_narrow)((float *)(void *)out, room, (size_t)n);
  else
    for (int32_t j = 0; j < n + MCK_PAD; j++) out[j] = (REAL)room[j];
}


INLINE int G(finite) (const REAL *v, int32_t n) {
  REAL zero = 0;
  for (int32_t j = 0; j < n; j++) zero += v[j] * 0;
  return zero == 0;
}


/* any spot */
static void G(anyspot) (const mck_canvas *t, const mck_spot *s) {
  enum {WIDTH = MCK_TILEB / sizeof(REAL)};
  double room[(int)WIDTH > MCK_TILEH ? WIDTH + MCK_PAD : MCK_TILEH + MCK_PAD];
  _Alignas(64) REAL f[MCK_TILEH + MCK_PAD], p[WIDTH + MCK_PAD];
  int integrated = t->frame->integrated, peak = t->frame->peak;
  double leastf, leastp;
  part a = clippart(t, s);
  REAL *o = (REAL *)t->tile + a.row * PITCH + a.col;
  mck_axis y, x;
  mck_setaxis(&y, s->c[0], s->s[0], integrated, peak, s->weight);
  mck_setaxis(&x, s->c[1], s->s[1], integrated, peak, 1);
  G(profile)(f, room, &y, t->first[0] + a.row, a.m, &leastf);
  G(profile)(p, room, &x, t->first[1] + a.col, a.n, &leastp);
  if (leastf * leastp >= (double)MIN && G(finite)(f, a.m) &&
      G(finite)(p, a.n)) G(addrows)(o, f, a.m, p, a.n);
  else G(carefulrows)(o, f, a.m, p, a.n);
}


/* o[j] += f * (value of a bell at first + j), for a row of any length */
INLINE void G(bellrow) (REAL *o, REAL f, double c, double s, double amp,
                        double first, int64_t n) {
  _Alignas(64) REAL room[2 * VD];
  double inverse = 1 / s;
  vd x = first + ramp();
  vl lane = lanes(), unused = {0};
  for (int64_t j = 0; j < n; j += 2 * VD, x += 2 * VD, lane += 2 * VD) {
    vd d = (x - c) * inverse, e = (x + VD - c) * inverse;
    vd u = bounded(vexp(d * d * -0.5) * amp, lane, n, 0, &unused);
    vd v = bounded(vexp(e * e * -0.5) * amp, lane + VD, n, 0, &unused);
    PAIR(room, u, v);
    for (int k = 0; k < (int)(2 * VD); k += LANES)
      STORE(o + j + k, LOAD(o + j + k) +
            PRODUCT(f, FLUSH(LOAD(room + k), MIN)));
  }
}


/* a spot with an angle: row by row */
static void G(tiltedspot) (const mck_canvas *t, const mck_spot *s) {
  enum {WIDTH = MCK_TILEB / sizeof(REAL)};
  double room[(int)WIDTH > MCK_TILEH ? WIDTH + MCK_PAD : MCK_TILEH + MCK_PAD];
  _Alignas(64) REAL f[MCK_TILEH + MCK_PAD], p[WIDTH + MCK_PAD];
  int peak = t->frame->peak;
  double unused;
  part a = clippart(t, s);
  double first = t->first[1] + a.col;
  REAL *o = (REAL *)t->tile + a.row * PITCH + a.col;
  mck_axis y, x;
  mck_setaxis(&y, s->c[0], s->s[0], 0, peak, s->weight);
  mck_setaxis(&x, s->c[1], s->s[1], 0, peak, 1);
  G(profile)(f, room, &y, t->first[0] + a.row, a.m, &unused);
  for (int32_t i = 0; i < a.m; i++, o += PITCH) {
    x.centre = s->c[1] + (t->first[0] + (a.row + i) - s->c[0]) * s->slope;
    if (x.kind == MCK_BELL)
      G(bellrow)(o, f[i], x.centre, s->s[1], x.k[0], first, a.n);
    else {
      G(profile)(p, room, &x, first, a.n, &unused);
      G(carefulrows)(o, f + i, 1, p, a.n);
    }
  }
}


/* the profiles of a small spot into place 'i' of the group; at[i].m is 0 if it
   is none */
INLINE void G(smallspot) (G(profiles) *g, int i, const mck_canvas *t,
                          const mck_spot *s, int integrated) {
  int peak = t->frame->peak, ok;
  double ay = s->weight, ax = 1;
  double sy = s->s[0], sx = s->s[1], y, x;
  part a = clippart(t, s);
  g->at[i] = a;
  y = t->first[0] + a.row;
  x = t->first[1] + a.col;
  if (a.m > SMALL || a.n > SMALL || !(sy >= 0x1p-100) || !(sx >= 0x1p-100) ||
      (integrated && (sy >= MCK_WIDEST || sx >= MCK_WIDEST)))
    g->at[i].m = 0;
  else if (integrated) {
    if (peak) ay *= MCK_SQRT_2PI * sy, ax *= MCK_SQRT_2PI * sx;
    ok = G(smalltails)(g->f[i], s->c[0], sy, ay, y, a.m) &
         G(smalltails)(g->p[i], s->c[1], sx, ax, x, a.n);
    if (!ok) g->at[i].m = 0;
  }
  else {
    if (!peak) ay /= MCK_SQRT_2PI * sy, ax /= MCK_SQRT_2PI * sx;
    ok = G(smallbell)(g->f[i], s->c[0], sy, ay, y, a.m) &
         G(smallbell)(g->p[i], s->c[1], sx, ax, x, a.n);
    if (!ok) g->at[i].m = 0;
  }
  if (!(ay < MAX / 2 && ay > -MAX / 2)) g->at[i].m = 0;  /* infinite in REAL */
}


INLINE void G(draw) (const mck_canvas *t, const mck_spot *spots,
                     const uint32_t *which, size_t n, int integrated) {
  G(profiles) g;
  for (size_t first = 0; first < n; first += GROUP, which += GROUP) {
    int some = n - first < GROUP ? (int)(n - first) : GROUP;
    size_t ahead = n - first < 3 * GROUP ? n - first : 3 * GROUP;
    for (size_t i = 2 * GROUP; i < ahead; i++)
      __builtin_prefetch(&spots[which[i]]);
    for (int i = 0; i < some; i++)
      G(smallspot)(&g, i, t, &spots[which[i]], integrated);
    for (int i = 0; i < some; i++) {
      part a = g.at[i];
      if (a.m == 0) G(anyspot)(t, &spots[which[i]]);
      else
        G(addrows)((REAL *)t->tile + a.row * PITCH + a.col, g.f[i], a.m,
                   g.p[i], a.n);
    }
  }
}


static void G(render_draw) (const mck_canvas *t, const mck_spot *spots,
                            const uint32_t *which, size_t n) {
  if (t->frame->tilted)
    for (size_t i = 0; i < n; i++) G(tiltedspot)(t, &spots[which[i]]);
  else if (t->frame->integrated) G(draw)(t, spots, which, n, 1);
  else G(draw)(t, spots, which, n, 0);
}

#undef REAL
#undef VEC
#undef LOAD
#undef STORE
#undef LANES
#undef LEAST
#undef MIN
#undef MAX
#undef PRODUCT
#undef FLUSH
#undef PAIR
#undef G
#undef PITCH
