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
  _Alignas(64) REAL f[GROUP][MCK_SMALL + MCK_PAD];
  _Alignas(64) REAL p[GROUP][MCK_SMALL + MCK_PAD];
  part at[GROUP];
} G(profiles);


#if BELLS

/* the profiles of a small spot that is not integrated; false if it is to be
   drawn otherwise */
INLINE int G(smallbells) (REAL *f, REAL *p, const pixels *at,
                          const mck_canvas *t, const mck_spot *s, part a) {
  float amp = (float)(s->weight * (double)s->amp[0]);
  float size = __builtin_fabsf(amp);
  axisbell y = {s->c[0], s->q[0], amp}, x = {s->c[1], s->q[1], s->amp[1]};
  (void)t;
  if (s->mark >= 0 || !(size < 0x1p60f) || size < 0x1p-32f) return 0;
  if (a.m <= MCK_PAD) plainbell(f, &y, at->rows + a.row, a.m, MCK_PAD);
  else plainbell(f, &y, at->rows + a.row, a.m, MCK_SMALL);
  if (a.n <= MCK_PAD) plainbell(p, &x, at->cols + a.col, a.n, MCK_PAD);
  else plainbell(p, &x, at->cols + a.col, a.n, MCK_SMALL);
  return 1;
}

#else

/* n <= MCK_SMALL values of a bell at first, first + 1, ..., then zeros;
   false if some are so small that products need care */
INLINE int G(smallbell) (REAL *out, double c, double s, double amp,
                         double first, int64_t n) {
  double inverse = 1 / s;
  vd x = first + ramp();
  vl lane = lanes(), bad = {0};
  int64_t j = 0;
  for (; j < n; j += 2 * VD, x += 2 * VD, lane += 2 * VD) {
    vd d = (x - c) * inverse, e = (x + VD - c) * inverse;
    vd u = vexp(d * d * -0.5) * amp, v = {0};
    u = bounded(u, lane, n, LEAST, &bad);
    if (n - j > VD)
      v = bounded(vexp(e * e * -0.5) * amp, lane + VD, n, LEAST, &bad);
    PAIR(out + j, u, v);
  }
  for (; j < MCK_PAD; j += 2 * VD) PAIR(out + j, (vd){0}, (vd){0});
  return !anyl(bad);
}


INLINE int G(smallbells) (REAL *f, REAL *p, const pixels *at,
                          const mck_canvas *t, const mck_spot *s, part a) {
  int peak = t->frame->peak;
  double sy = s->s[0], sx = s->s[1];
  (void)at;
  double ay = peak ? s->weight : s->weight / (MCK_SQRT_2PI * sy);
  double ax = peak ? 1 : 1 / (MCK_SQRT_2PI * sx);
  if (!(sy >= 0x1p-100) || !(sx >= 0x1p-100) ||
      !(ay < MAX / 2 && ay > -MAX / 2)) return 0;
  return G(smallbell)(f, s->c[0], sy, ay, t->first[0] + a.row, a.m) &
         G(smallbell)(p, s->c[1], sx, ax, t->first[1] + a.col, a.n);
}

#endif


/* the same, integrated over the pixels */
INLINE int G(smalltails) (REAL *out, double c, double s, double amp,
                          double first, int64_t n) {
  double inverse = 1 / s, edge[MCK_SMALL + 2 * VD + 1];
  vd x = first - 0.5 + ramp();
  vl lane = lanes(), bad = {0};
  int64_t j = 0;
  for (; j <= n; j += VD, x += VD) {
    vd d = (x - c) * inverse;
    stored(edge + j, (vd)((vl)vtail(d) | ((vl)d & INT64_MIN)));
  }
  for (j = 0; j < n; j += 2 * VD, lane += 2 * VD) {
    vd half[2];
    for (int i = 0; i < 2; i++) {
      vd l = loadd(edge + j + i * VD), r = loadd(edge + j + i * VD + 1);
      vd one = maskd(alld(1), ((vl)l < 0) & ((vl)r >= 0));
      half[i] = bounded((one + (l - r)) * amp, lane + i * VD, n, LEAST, &bad);
    }
    PAIR(out + j, half[0], half[1]);
  }
  for (; j < MCK_PAD; j += 2 * VD) PAIR(out + j, (vd){0}, (vd){0});
  return !anyl(bad);
}


/* o[i][j] += f[i] * p[j] for m rows, m a multiple of 4, of one vector */
INLINE void G(addcolumn) (REAL *o, const REAL *f, int32_t m, VEC v) {
  for (int32_t i = 0; i < m; i += 4, o += 4 * PITCH)
    for (int32_t r = 0; r < 4; r++)
      STORE(o + r * PITCH, LOAD(o + r * PITCH) + f[i + r] * v);
}


/* the same for any m; rows up to the next multiple of 4, or to ROWS, are added
   to with f = 0.  A number of rows that is known saves a wrong guess */
INLINE void G(addrows) (REAL *o, const REAL *f, int32_t m, const REAL *p,
                        int32_t n) {
  for (int32_t j = 0; j < n; j += LANES) {
    VEC v = LOAD(p + j);
    if (m <= ROWS) G(addcolumn)(o + j, f, ROWS, v);
    else G(addcolumn)(o + j, f, m, v);
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


/* the same along axis 'a' of a spot that is not tilted */
static void G(spotprofile) (REAL *out, double *room, const mck_spot *s, int a,
                            const mck_frame *f, double first, int32_t n,
                            double *least) {
  mck_axis axis;
#if BELLS
  axisbell b;
  if (f->bells && setbell(&b, s, a, f->peak)) {
    anybell(out, &b, first, n, least);
    return;
  }
#endif
  mck_setaxis(&axis, s->c[a], s->s[a], f->integrated, f->peak,
              a == 0 ? s->weight : 1);
  G(profile)(out, room, &axis, first, n, least);
}


/* are n values, and the zeros after them, finite? */
INLINE int G(finite) (const REAL *v, int32_t n) {
  VEC zeros = {0};
  REAL zero = 0;
  for (int32_t j = 0; j < n; j += LANES) zeros += LOAD(v + j) * 0;
  for (int32_t j = 0; j < (int32_t)LANES; j++) zero += zeros[j];
  return zero == 0;
}


/* any spot that is not tilted; its columns begin with zeros, so that vectors of
   the tile are whole lines of the cache */
static void G(anyspot) (const mck_canvas *t, const mck_spot *s) {
  enum {WIDTH = MCK_TILEB / sizeof(REAL)};
  double room[(int)WIDTH > MCK_TILEH ? WIDTH + MCK_PAD : MCK_TILEH + MCK_PAD];
  _Alignas(64) REAL f[MCK_TILEH + MCK_PAD], p[WIDTH + 2 * MCK_PAD];
  double leastf, leastp;
  part a = clippart(t, s);
  int32_t more = a.col % LANES, n = a.n + more;
  REAL *o = (REAL *)t->tile + a.row * PITCH + a.col - more;
  STORE(p, (VEC){0});
  G(spotprofile)(f, room, s, 0, t->frame, t->first[0] + a.row, a.m, &leastf);
  G(spotprofile)(p + more, room, s, 1, t->frame, t->first[1] + a.col, a.n,
                 &leastp);
  if (leastf * leastp >= (double)MIN && G(finite)(f, a.m) &&
      G(finite)(p, n)) G(addrows)(o, f, a.m, p, n);
  else G(carefulrows)(o, f, a.m, p, n);
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


#if BELLS

/* a spot with an angle as bells of float: amp * 2^(q[0] * dy^2 + q[1] * d^2),
   d from the line of regression; false if it is none */
static int G(tiltedbell) (const mck_canvas *t, const mck_spot *s,
                          const pixels *at) {
  part a = clippart(t, s);
  REAL *o = (REAL *)t->tile + a.row * PITCH + a.col;
  double inverse[2] = {1 / s->s[0], 1 / s->s[1]};
  double peak = t->frame->peak ? 1 : BELLAMP(inverse[0]) * BELLAMP(inverse[1]);
  float amp = (float)(s->weight * peak), q[2];
  for (int k = 0; k < 2; k++) {
    if (!(s->s[k] >= LEASTBELL && s->s[k] <= MOSTBELL)) return 0;
    q[k] = (float)BELLQ(inverse[k]);
  }
  for (int32_t i = 0; i < a.m; i++, o += PITCH) {
    double dy = at->rows[a.row + i] - s->c[0], c = s->c[1] + dy * s->slope;
    float above = (float)dy * (float)dy * q[0];
    for (int32_t j = 0; j < a.n; j += LANES) {
      vf d = distances(at->cols + a.col + j, c);
      vf v = bellf(above + d * d * q[1], amp);
      storef(o + j, loadf(o + j) + firstf(v, j, a.n));
    }
  }
  return 1;
}

#endif


/* a spot with an angle: row by row */
static void G(tiltedspot) (const mck_canvas *t, const mck_spot *s,
                           const pixels *at) {
  enum {WIDTH = MCK_TILEB / sizeof(REAL)};
  double room[(int)WIDTH > MCK_TILEH ? WIDTH + MCK_PAD : MCK_TILEH + MCK_PAD];
  _Alignas(64) REAL f[MCK_TILEH + MCK_PAD], p[WIDTH + MCK_PAD];
  int peak = t->frame->peak;
  double unused;
  part a = clippart(t, s);
  double first = t->first[1] + a.col;
  REAL *o = (REAL *)t->tile + a.row * PITCH + a.col;
  mck_axis y, x;
#if BELLS
  if (G(tiltedbell)(t, s, at)) return;
#else
  (void)at;
#endif
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


/* the same, integrated */
INLINE int G(smallpixels) (REAL *f, REAL *p, const mck_canvas *t,
                           const mck_spot *s, part a) {
  int peak = t->frame->peak;
  double sy = s->s[0], sx = s->s[1];
  double ay = peak ? s->weight * (MCK_SQRT_2PI * sy) : s->weight;
  double ax = peak ? MCK_SQRT_2PI * sx : 1;
  if (!(sy >= 0x1p-100 && sy < MCK_WIDEST) ||
      !(sx >= 0x1p-100 && sx < MCK_WIDEST) ||
      !(ay < MAX / 2 && ay > -MAX / 2)) return 0;  /* infinite in REAL */
  return G(smalltails)(f, s->c[0], sy, ay, t->first[0] + a.row, a.m) &
         G(smalltails)(p, s->c[1], sx, ax, t->first[1] + a.col, a.n);
}


/* the profiles of a spot into place 'i' of the group; at[i].m is 0 if it is
   not a small one */
INLINE void G(smallspot) (G(profiles) *g, int i, const pixels *at,
                          const mck_canvas *t, const mck_spot *s,
                          int integrated) {
  part a = clippart(t, s);
  int ok = a.m <= MCK_SMALL && a.n <= MCK_SMALL &&
           (integrated ? G(smallpixels)(g->f[i], g->p[i], t, s, a)
                       : G(smallbells)(g->f[i], g->p[i], at, t, s, a));
  g->at[i] = a;
  if (!ok) g->at[i].m = 0;
}


INLINE void G(draw) (const mck_canvas *t, const mck_spot *spots,
                     const uint32_t *which, size_t n, const pixels *at,
                     int integrated) {
  G(profiles) g;
  for (size_t first = 0; first < n; first += GROUP, which += GROUP) {
    size_t left = n - first;
    int some = left < GROUP ? (int)left : GROUP;
    for (int i = 0; i < some; i++) {
      size_t ahead = (size_t)i + 3 * GROUP;
      __builtin_prefetch(&spots[which[ahead < left ? ahead : left - 1]]);
      G(smallspot)(&g, i, at, t, &spots[which[i]], integrated);
    }
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
  pixels at;
  setpixels(&at, t);
  if (t->frame->tilted)
    for (size_t i = 0; i < n; i++) {
      __builtin_prefetch(&spots[which[i + GROUP < n ? i + GROUP : n - 1]]);
      G(tiltedspot)(t, &spots[which[i]], &at);
    }
  else if (t->frame->integrated) G(draw)(t, spots, which, n, &at, 1);
  else G(draw)(t, spots, which, n, &at, 0);
}

#undef BELLS
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
