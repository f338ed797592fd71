"""What it costs to hand an array's elements to C from Python: the routes of
ctypes, for bench_pointer.lua.  Usage: pointer.py work.so"""
import ctypes as C
import os
import sys
import timeit

import numpy as np

lib = C.CDLL(sys.argv[1])
double_p = C.POINTER(C.c_double)
void = lib.pointer_work
void.argtypes, void.restype = [C.c_void_p, C.c_void_p, C.c_long], None
typed = C.CDLL(sys.argv[1], use_errno=True).pointer_work
typed.argtypes, typed.restype = [double_p, double_p, C.c_long], None
nothing = lib.pointer_nothing
nothing.argtypes, nothing.restype = [C.c_void_p], None

ROUTES = [
    ("ctypes, empty call", "nothing(None)"),
    ("ctypes.data_as(POINTER)", "typed(y.ctypes.data_as(double_p), x.ctypes.data_as(double_p), n)"),
    ("__array_interface__", "void(y.__array_interface__['data'][0], x.__array_interface__['data'][0], n)"),
    ("ctypes.data", "void(y.ctypes.data, x.ctypes.data, n)"),
    ("address kept as an integer", "void(py, px, n)"),
    ("numpy.add(x, x, y)", "np.add(x, x, y)"),
]

fast = os.environ.get("MASCON_FAST") == "1"
times = {}
for n, reps in ((8, 100 if fast else 20000), (100000, 2 if fast else 50)):
    x, y = np.ones(n), np.zeros(n)
    py, px = y.ctypes.data, x.ctypes.data
    for _ in range(1 if fast else 7):
        for name, code in ROUTES:
            t = timeit.timeit(code, globals=globals(), number=reps) / reps
            times.setdefault((n, name), []).append(t)
print("%-38s %10s %7s %12s" % ("Python " + sys.version.split()[0], "light, ns", "", "heavy, us"))
for name, _ in ROUTES:
    light, heavy = (sorted(times[n, name])[len(times[n, name]) // 2] for n in (8, 100000))
    print("%-38s %10.1f %7s %12.1f" % (name, light * 1e9, "", heavy * 1e6))
