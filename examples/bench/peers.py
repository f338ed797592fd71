"""peers.py CASE THREADS ARGS: what others need for the work of bench.lua.

Prints a line "name<TAB>seconds" (median) for each peer that is installed; what
is missing is left out.  OMP_NUM_THREADS and OPENBLAS_CORETYPE are set by the
caller (some processors need the latter, or OpenBLAS takes a slow kernel).
"""
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
