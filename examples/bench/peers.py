"""peers.py CASE THREADS ARGS: what others need for the work of bench.lua.

Prints a line "name<TAB>seconds" (median) for each peer that is installed; what
is missing is left out.  OMP_NUM_THREADS and OPENBLAS_CORETYPE are set by the
caller (some processors need the latter, or OpenBLAS takes a slow kernel).
"""
import ctypes
import os
import subprocess
import sys
import tempfile
import time

import numpy as np


def median(f, runs=5):
    f()
    t = []
    for _ in range(runs):
        start = time.perf_counter()
        f()
        t.append(time.perf_counter() - start)
    return sorted(t)[len(t) // 2]


def peer(name, f, runs=5, scale=1.0):
    try:
        print(f"{name}\t{median(f, runs) * scale:.9g}", flush=True)
    except Exception as e:  # a peer that fails is no peer
        print(f"{name}: {e}", file=sys.stderr)


def module(name):
    try:
        return __import__(name)
    except ImportError:
        return None


GAUSS = """
# cython: boundscheck=False, wraparound=False, cdivision=True, language_level=3
from libc.math cimport exp, pi
def gauss(double[:, ::1] r, double y0, double x0, double sy, double sx):
    cdef double amp = 1 / (2 * pi * sy * sx)
    cdef Py_ssize_t x, y
    with nogil:
        for y in range(r.shape[0]):
            for x in range(r.shape[1]):
                r[y, x] = exp(-((y - y0) / sy) ** 2 / 2 - ((x - x0) / sx) ** 2 / 2) * amp
"""


def cython_gauss():
    """The loop as one writes it in Cython, compiled with -O2; None without Cython."""
    try:
        d = tempfile.mkdtemp()
        with open(d + "/peergauss.pyx", "w") as f:
            f.write(GAUSS)
        inc = subprocess.check_output(["/usr/bin/python3-config", "--includes"], text=True).split()
        subprocess.check_call(["cython3", "-3", d + "/peergauss.pyx"], stderr=subprocess.DEVNULL)
        subprocess.check_call(["gcc", "-O2", "-w", "-shared", "-fPIC", *inc, d + "/peergauss.c",
                               "-o", d + "/peergauss.so", "-lm"])
        sys.path.insert(0, d)
        return __import__("peergauss").gauss
    except (OSError, subprocess.CalledProcessError, ImportError):
        return None


def gauss(threads, n):
    n = int(n)
    out = np.zeros((n, n))
    y0, x0, s = n / 2 + .3, n / 2 - .2, n / 3
    y, x = np.arange(n)[:, None], np.arange(n)
    reps = max(1, 100000 // (n * n))

    def outer():
        for _ in range(reps):
            gy = np.exp(-((y - y0) / s) ** 2 / 2) / (2 * np.pi * s * s)
            np.multiply(gy, np.exp(-((x - x0) / s) ** 2 / 2), out=out)

    peer("numpy, outer product, out=", outer, scale=1 / reps)
    f = cython_gauss()
    if f:
        def loop():
            for _ in range(reps):
                f(out, y0, x0, s, s)
        peer("Cython, output given", loop, scale=1 / reps)


SPOTS = """
#include <math.h>
static int clip (int v, int most) { return v < 0 ? 0 : v > most ? most : v; }
void spots (float *restrict image, int h, int w, long n, const float *x,
            const float *y, const float *sx, const float *sy) {
  for (long k = 0; k < n; k++) {
    int top = clip((int)(y[k] - 3 * sy[k]), h), low = clip((int)(y[k] + 3 * sy[k] + 1), h);
    int left = clip((int)(x[k] - 3 * sx[k]), w), right = clip((int)(x[k] + 3 * sx[k] + 1), w);
    float q = -0.5f / (sx[k] * sx[k]), r = -0.5f / (sy[k] * sy[k]), p[64], f[64];
    float amp = 0.159154943f / (sx[k] * sy[k]);
    if (right - left > 64 || low - top > 64) continue;
    for (int j = 0; j < right - left; j++) {
      float d = (float)(left + j) + 0.5f - x[k];
      p[j] = expf(d * d * q);
    }
    for (int i = 0; i < low - top; i++) {
      float d = (float)(top + i) + 0.5f - y[k];
      f[i] = amp * expf(d * d * r);
    }
    for (int i = 0; i < low - top; i++)
      for (int j = 0; j < right - left; j++)
        image[(long)(top + i) * w + left + j] += f[i] * p[j];
  }
}
"""


def c_spots():
    """A separable loop in C, its exponentials by libmvec where the compiler has it."""
    try:
        d = tempfile.mkdtemp()
        with open(d + "/spots.c", "w") as f:
            f.write(SPOTS)
        # not linked with -ffast-math, which would turn denormals off
        subprocess.check_call(["gcc", "-O3", "-ffast-math", "-march=native", "-fPIC", "-c",
                               d + "/spots.c", "-o", d + "/spots.o"])
        subprocess.check_call(["gcc", "-shared", d + "/spots.o", "-o", d + "/spots.so", "-lm"])
        return ctypes.CDLL(d + "/spots.so").spots
    except (OSError, subprocess.CalledProcessError):
        return None


def numba_spots():
    """What Picasso's renderer does, compiled by numba: a box of 3 sigma, a profile an axis."""
    numba = module("numba")
    if not numba:
        return None

    def fill(image, x, y, sx, sy):
        h, w = image.shape
        for k in range(len(x)):
            left, right = max(int(x[k] - 3 * sx[k]), 0), min(int(x[k] + 3 * sx[k] + 1), w)
            top, low = max(int(y[k] - 3 * sy[k]), 0), min(int(y[k] + 3 * sy[k] + 1), h)
            p, f = np.empty(right - left, np.float32), np.empty(low - top, np.float32)
            for j in range(right - left):
                p[j] = np.exp(-((left + j + 0.5 - x[k]) ** 2) / (2 * sx[k] ** 2))
            for i in range(low - top):
                f[i] = np.exp(-((top + i + 0.5 - y[k]) ** 2) / (2 * sy[k] ** 2)) \
                    / (2 * np.pi * sx[k] * sy[k])
            for i in range(low - top):
                for j in range(right - left):
                    image[top + i, left + j] += f[i] * p[j]
    return numba.njit(fill)


def render(threads, n):
    """Point-sampled spots of 3 sigma, all of these peers on one thread."""
    n, h, w = int(n), 2048, 2048
    g = np.random.default_rng(0)
    x, y, sx, sy = [np.ascontiguousarray(v, np.float32) for v in (
        g.random(n) * w, g.random(n) * h, 1 + g.random(n) / 2, 1 + g.random(n) / 2)]
    fill, loop = numba_spots(), c_spots()

    def image(draw):
        def run():
            im = np.zeros((h, w), np.float32)
            draw(im)
            return im
        if abs(run().sum(dtype=np.float64) / n - 1) > 0.02:
            raise ValueError("a peer draws something else")
        return run
    if fill:
        peer("numba, as Picasso draws (reach 13)", image(lambda im: fill(im, x, y, sx, sy)), 3)
    if loop:
        pointers = [ctypes.c_void_p(v.ctypes.data) for v in (x, y, sx, sy)]
        peer("C, separable, libmvec (reach 3)", image(lambda im: loop(
            ctypes.c_void_p(im.ctypes.data), h, w, ctypes.c_long(n), *pointers)), 3)


def points(threads, n):
    n, h, w = int(n), 2048, 2048
    g = np.random.default_rng(0)
    x, y = g.random(n) * w, g.random(n) * h

    def bincount():
        at = y.astype(np.int64) * w + x.astype(np.int64)
        return np.bincount(at, minlength=h * w).reshape(h, w).astype(np.float32)
    peer("numpy bincount (reach 2)", bincount, 3)


def topn(threads, users, items, dtype):
    users, items, n = int(users), int(items), 10
    s = np.random.default_rng(0).random((users, items), dtype=dtype)
    few = max(1, users // 10)
    torch, faiss = module("torch"), module("faiss")
    if torch:
        torch.set_num_threads(threads)
        t = torch.from_numpy(s)
        peer("torch.topk", lambda: torch.topk(t, n, dim=1), 3)
    if faiss and dtype == "float32":
        faiss.omp_set_num_threads(threads)
        d, i = np.empty((users, n), np.float32), np.empty((users, n), np.int64)

        def heap():
            h = faiss.float_minheap_array_t()
            h.nh, h.k, h.val, h.ids = users, n, faiss.swig_ptr(d), faiss.swig_ptr(i)
            h.heapify()
            h.addn(items, faiss.swig_ptr(s), 0, 0, users)
            h.reorder()
        peer("faiss, heap", heap, 3)

    def argpartition():
        p = np.argpartition(s[:few], items - n, axis=1)[:, items - n:]
        v = np.take_along_axis(s[:few], p, 1)
        return np.take_along_axis(p, np.argsort(-v, axis=1), 1)
    peer("numpy argpartition, argsort", argpartition, 3, users / few)


def recommend(threads, users, items, rank):
    users, items, rank, n = int(users), int(items), int(rank), 10
    g = np.random.default_rng(0)
    x = g.standard_normal((users, rank), dtype=np.float32)
    y = g.standard_normal((items, rank), dtype=np.float32)
    torch, faiss = module("torch"), module("faiss")
    if faiss:
        faiss.omp_set_num_threads(threads)
        index = faiss.IndexFlatIP(rank)
        index.add(y)
        peer("faiss IndexFlatIP", lambda: index.search(x, n), 3)
    if torch:
        torch.set_num_threads(threads)
        tx, ty = torch.from_numpy(x), torch.from_numpy(y)
        few = min(users, 1024)

        def topk():
            for i in range(0, few, 256):
                torch.topk(tx[i:i + 256] @ ty.T, n, dim=1)
        peer("torch mm, topk", topk, 3, users / few)


def matmul(threads, n, dtype):
    g = np.random.default_rng(0)
    a, b = g.random((int(n), int(n))).astype(dtype), g.random((int(n), int(n))).astype(dtype)
    c = np.empty_like(a)
    peer("numpy (OpenBLAS)", lambda: np.matmul(a, b, out=c))


def elementwise(threads, n):
    a, b = np.random.default_rng(0).random((2, int(n)))
    out = np.empty_like(a)
    peer("numpy add", lambda: np.add(a, b, out=out))
    peer("numpy sum", lambda: a.sum())


if __name__ == "__main__":
    globals()[sys.argv[1]](int(sys.argv[2]), *sys.argv[3:])
