-- memory that other tensor libraries share

local shell = require "spec.shell"

-- NumPy over memory of ours, by the capsules of Python
local script = [[
import ctypes as C, sys, numpy as np
if not hasattr(np, "from_dlpack"):
    print("old"); sys.exit()
lib = C.CDLL(sys.argv[1])
class Array(C.Structure):
    _fields_ = [("magic", C.c_uint32), ("abi", C.c_uint16), ("size", C.c_uint16),
                ("data", C.c_void_p), ("rest", C.c_char * 256)]
a, shape = Array(), (C.c_int64 * 2)(3, 4)
assert lib.mascon_zeros(C.byref(a), 0, 2, shape) == 0
class Capsule:
    def __dlpack__(self, **kw):
        t = C.c_void_p()
        assert lib.mascon_to_dlpack(C.byref(a), C.byref(t)) == 0
        new = C.pythonapi.PyCapsule_New
        new.restype, new.argtypes = C.py_object, [C.c_void_p, C.c_char_p, C.c_void_p]
        return new(t, b"dltensor", None)
    def __dlpack_device__(self): return (1, 0)
x = np.from_dlpack(Capsule())
C.cast(a.data, C.POINTER(C.c_double))[7] = 5
lib.mascon_release(C.byref(a))
print(x.shape, x.dtype, x[1, 3], x.sum())
]]

describe("DLPack", function()
  it("takes and gives memory without a copy", function()
    assert.same({ "ok\n", "", 0 }, { shell.run(shell.build .. "/spec/dlpack") })
  end)

  it("is understood by NumPy", function()
    if shell.sanitizer then return pending "Python does not load a sanitized library" end
    for _, python in ipairs { "/usr/bin/python3", "python3" } do
      if shell.has(python) and select(3, shell.run(python .. " -c 'import numpy'")) == 0 then
        local out, err = shell.run(("%s - %s/libmascon.so"):format(python, shell.build), script)
        if out == "old\n" then return pending "NumPy has no from_dlpack" end
        assert.same({ "(3, 4) float64 5.0 5.0\n", "" }, { out, err })
        return
      end
    end
    pending "there is no NumPy"
  end)
end)
