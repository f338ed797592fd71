/*
** tsort.h - sorting records of one kind
**
** Included by ksort.c with REC, KEY to get the key of a record, and S to name
** functions; takes back what the kind defined.
**
** Radix sort by bytes, least first: it is stable, needs no comparison that a
** processor could mispredict, and its time depends on the length only.  For
** short rows the tables of counts cost more than they save: merge sort.
*/

#define RUN 16  /* sorted by insertion when sorting */
#define FEW 32  /* ... when selecting */


INLINE void S(insertion) (REC *r, size_t n) {
  for (size_t i = 1; i < n; i++) {
    REC x = r[i];
    size_t j = i;
    for (; j > 0 && KEY(x) < KEY(r[j - 1]); j--) r[j] = r[j - 1];
    r[j] = x;
  }
}


/* a[0..m-1] and a[m..n-1], each sorted, into 'out' */
INLINE void S(merge) (REC *out, const REC *a, size_t m, size_t n) {
  size_t i = 0, j = m;
  while (i < m && j < n) {
    size_t second = KEY(a[j]) < KEY(a[i]);
    *out++ = second ? a[j] : a[i];
    i += 1 - second;
    j += second;
  }
  memcpy(out, a + i, (m - i) * sizeof *a);
  memcpy(out + (m - i), a + j, (n - j) * sizeof *a);
}


static REC *S(mergesort) (REC *r, REC *spare, size_t n) {
  for (size_t i = 0; i < n; i += RUN)
    S(insertion)(r + i, n - i < RUN ? n - i : RUN);
  for (size_t m = RUN; m < n; m *= 2) {
    REC *t = r;
    for (size_t i = 0; i < n; i += 2 * m) {
      size_t left = n - i;
      S(merge)(spare + i, r + i, m < left ? m : left,
               2 * m < left ? 2 * m : left);
    }
    r = spare;
    spare = t;
  }
  return r;
}


static void S(count) (const void *from, size_t n, unsigned low,
                      size_t counts[MCK_DIGITS]) {
  const REC *r = from;
  memset(counts, 0, MCK_DIGITS * sizeof *counts);
  for (size_t i = 0; i < n; i++) counts[KEY(r[i]) >> low & 255]++;
}


static void S(among) (const void *from, size_t n, unsigned low, uint64_t high,
                      size_t counts[MCK_DIGITS]) {
  const REC *r = from;
  memset(counts, 0, MCK_DIGITS * sizeof *counts);
  for (size_t i = 0; i < n; i++) {
    uint64_t k = (uint64_t)KEY(r[i]) >> low;
    counts[k & 255] += k >> 8 == high;
  }
}


static void S(deal) (void *to, const void *from, size_t n, unsigned low,
                     size_t next[MCK_DIGITS]) {
  REC *restrict out = to;
  const REC *restrict r = from;
  for (size_t i = 0; i < n; i++) out[next[KEY(r[i]) >> low & 255]++] = r[i];
}


/* the tables of all digits at once */
INLINE void S(counts) (const REC *r, size_t n, unsigned low, unsigned digits,
                       size_t counts[][MCK_DIGITS]) {
  memset(counts, 0, digits * sizeof *counts);
  for (size_t i = 0; i < n; i++) {
    uint64_t k = KEY(r[i]) >> low;
    for (unsigned d = 0; d < digits; d++, k >>= 8) counts[d][k & 255]++;
  }
}


static void *S(sort) (void *from, void *spare, size_t n, unsigned low,
                      unsigned bits) {
  size_t next[8][MCK_DIGITS];
  unsigned digits = bits / 8;
  if (n < SHORT * bits) return S(mergesort)(from, spare, n);
  if (digits == 8) S(counts)(from, n, low, 8, next);
  else if (digits == 4) S(counts)(from, n, low, 4, next);
  else S(counts)(from, n, low, digits, next);
  for (unsigned d = 0; d < digits; d++, low += 8) {
    void *t = from;
    if (starts(next[d], n)) continue;
    S(deal)(spare, from, n, low, next[d]);
    from = spare;
    spare = t;
  }
  return from;
}


/*
** Radix select: digits of the key from the highest on, each time keeping the
** records that share what is known, until they are few.
*/
static uint64_t S(select) (const void *from, void *spare, size_t n,
                           size_t rank, unsigned bits) {
  const REC *r = from;
  REC *kept = spare;
  while (n > FEW && bits > 0) {
    size_t counts[MCK_DIGITS], m = 0;
    unsigned digit = 0;
    bits -= 8;
    S(count)(r, n, bits, counts);
    while (rank >= counts[digit]) rank -= counts[digit++];
    for (size_t i = 0; m < counts[digit]; i++) {
      kept[m] = r[i];
      m += (KEY(r[i]) >> bits & 255) == digit;
    }
    r = kept;
    n = m;
  }
  if (bits > 0) {  /* they may differ */
    memmove(kept, r, n * sizeof *r);
    S(insertion)(kept, n);
    r = kept + rank;
  }
  return KEY(*r);
}


static size_t S(upto) (const void *from, size_t n, uint64_t key,
                       uint64_t *next) {
  const REC *r = from;
  uint64_t least = UINT64_MAX;
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t k = KEY(r[i]);
    count += k <= key;
    least = k > key && k < least ? k : least;
  }
  *next = least;
  return count;
}


static const mck_record S(record) = {
  sizeof(REC), S(sort), S(count), S(among), S(deal), S(select), S(upto)
};

#undef RUN
#undef FEW
#undef REC
#undef KEY
#undef S
