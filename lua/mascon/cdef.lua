---C declarations for an FFI: LuaJIT's, or cffi-lua.
---
---The struct has no tag and functions take arrays as `void *`, so that the text
---may be declared more than once, and an array of Lua be passed as it is.
return [[
typedef struct {
  uint32_t magic;
  uint16_t abi;
  uint16_t size;
  void *data;
  struct { uint8_t code; uint8_t bits; uint16_t lanes; } dtype;
  uint8_t ndim;
  uint8_t flags;
  uint16_t reserved;
  int64_t shape[4];
  int64_t stride[4];
  void *buffer;
} mascon_array;

typedef struct {
  size_t size;
  int threads;
  int (*progress) (void *ud, int64_t done, int64_t total);
  void *ud;
  int64_t done;
  int (*cancel) (void *ud);
  int64_t total;
  double due;
} mascon_exec;

const char *mascon_strerror (int status);
const char *mascon_cpu (void);
int mascon_threads (void);
double mascon_clock (void);

int mascon_new (void *a, int dtype, int ndim, const int64_t *shape);
int mascon_zeros (void *a, int dtype, int ndim, const int64_t *shape);
int mascon_describe (void *a, void *p, int dtype, int ndim, const int64_t *shape,
                     const int64_t *stride, unsigned flags);
int mascon_view (void *v, const void *a);
int mascon_narrow (void *v, const void *a, int axis, int64_t first, int64_t count,
                   int64_t step);
int mascon_select (void *v, const void *a, int axis, int64_t index);
int mascon_reshape (void *v, const void *a, int ndim, const int64_t *shape);
void mascon_release (void *a);
int64_t mascon_count (const void *a);

int mascon_fill (double x, void *out, void *exec);
int mascon_assign (const void *a, void *out, void *exec);
int mascon_matmul (const void *a, const void *b, void *out, void *exec);
]]
