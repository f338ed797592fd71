-- kernels inside other people's parallel regions, and in forked children

local shell = require "spec.shell"

local function env(name, default)
  local value = os.getenv(name)
  return value and value ~= "" and value or default
end

local source = [[
#include <mascon.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROWS 4000
#define COLS 100

static double scores[ROWS * COLS];

/* 1 if the best of every row are right, with 'threads' threads */
static int right (int threads) {
  static const int64_t shape[] = {ROWS, COLS}, one[] = {ROWS, 1};
  mascon_array a, ids;
  mascon_topn_opts o = MASCON_TOPN_INIT;
  mascon_topn_out out = MASCON_TOPN_OUT_INIT;
  mascon_exec ex = MASCON_EXEC_INIT;
  int ok;
  ex.threads = threads;
  o.n = 1;
  if (mascon_describe(&a, scores, MASCON_F64, 2, shape, NULL, 0) != 0 ||
      mascon_zeros(&ids, MASCON_I32, 2, one) != 0) return 0;
  out.ids = &ids;
  ok = mascon_topn(&a, &o, &out, &ex) == 0;
  for (int i = 0; i < ROWS; i++)
    if (((int32_t *)ids.data)[i] != i % COLS) ok = 0;
  mascon_release(&ids);
  return ok;
}

int main (void) {
  int good = 0, status;
  pid_t child;
  for (int i = 0; i < ROWS; i++) scores[i * COLS + i % COLS] = 1;
  #pragma omp parallel for num_threads(4) reduction(+ : good)
  for (int i = 0; i < 40; i++) good += right(i % 3);
  good += right(3);  /* threads that a child does not inherit */
  child = fork();
  if (child == 0) _exit(right(3) && right(0) ? 0 : 1);
  if (waitpid(child, &status, 0) == child && status == 0) good++;
  printf("%d\n", good);
  return 0;
}
]]

describe("a kernel", function()
  it("runs in a parallel region of its host, and in a forked child", function()
    if shell.sanitizer == "tsan" then
      return pending "it cannot see the barriers of the host's libgomp"
    end
    local program, path = os.tmpname(), shell.file(source)
    local out, err, code = shell.run(("%s -fopenmp -Iinclude -x c %s -x none -o %s %s/libmascon.a %s")
      :format(env("MASCON_CC", "gcc -std=c11 -D_DEFAULT_SOURCE"), path, program,
              shell.build, env("MASCON_LIBS", "-lm -lpthread -fopenmp")))
    assert.same({ "", "", 0 }, { out, err, code })
    out, err, code = shell.run("timeout 60 " .. program)
    os.remove(program)
    os.remove(path)
    assert.same({ "42\n", "", 0 }, { out, err, code })
  end)
end)
