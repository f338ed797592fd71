# mascon: make, make demo, make test; see README.md

VERSION := $(shell sed -n 's/.*MASCON_VERSION "\(.*\)"/\1/p' include/mascon.h)

ABI := $(shell sed -n 's/.*MASCON_VERSION_MAJOR \(.*\)/\1/p' include/mascon.h)

CC = gcc
FAST = -j$(shell nproc)  # builds by 'make test' and the like use every core
PREFIX = /usr/local
DESTDIR =

# the Lua to build for: lua5.4, lua5.3 or luajit, by its pkg-config name too
LUA = lua5.4
LUA_PC = $(LUA)
LUA_INC := $(shell pkg-config --cflags $(LUA_PC) 2>/dev/null)
LUA_LIB := $(shell pkg-config --libs $(LUA_PC) 2>/dev/null)

# each Lua has a folder of its own; what knows no Lua is built once, in P
B_lua5.4 = build
B_LUA = $(or $(B_$(LUA)),build/$(LUA))
B = $(B_LUA)
P = $(if $(filter $(B_LUA),$(B)),build,$(B))

# where Lua itself looks for modules
LUA_VERSION_luajit = 5.1
LUA_VERSION = $(or $(LUA_VERSION_$(LUA)),$(patsubst lua%,%,$(LUA)))

# SAN=asan or SAN=tsan builds everything under a sanitizer, in its own folder
SAN =
SAN_asan = -fsanitize=address,undefined -fno-omit-frame-pointer
SAN_tsan = -fsanitize=thread -DMASCON_PTHREADS
SAN_fuzz = -fsanitize=address,undefined,fuzzer-no-link \
           -fno-sanitize-recover=undefined -fno-omit-frame-pointer
SAN_cov = --coverage -fprofile-update=atomic
OPENMP_ = -fopenmp
OPENMP_asan = -fopenmp
OPENMP_cov = -fopenmp

# OMP=0: without OpenMP, kernels run on the calling thread (with B=... of its own)
OMP = 1
OPENMP = $(if $(filter 0,$(OMP)),,$(OPENMP_$(SAN)))

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wstrict-prototypes \
       -Wmissing-prototypes
CFLAGS = -O2 -g
STD = -std=c11 -D_DEFAULT_SOURCE -ffp-contract=off -fPIC \
      -fvisibility=hidden $(WARN) $(SAN_$(SAN))

# what each floor may see: its own headers and those below it
INC_core = -Iinclude -Isrc/core
INC_kern = -Isrc/kern
INC_ops = $(INC_core) $(INC_kern) -Isrc/ops
INC_io = $(INC_core) -Isrc/io
INC_bind = -Iinclude $(LUA_INC) -Isrc/bind
INC_app = -Iinclude $(LUA_INC) -Isrc/bind -Isrc/app

# sanitized kernels take minutes to compile at -O3
OPT_kern = $(if $(SAN),-O1,-O3) -fno-math-errno \
           $(if $(filter fuzz,$(SAN)),-fno-sanitize=fuzzer-no-link)
OPT_core = $(OPENMP)

# a light call is five to ten calls of the Lua API: no jump is taken twice
OPT_bind = -fno-plt

LIBS = -lm -lpthread $(OPENMP)

floor = $(firstword $(subst /, ,$*))
objs = $(patsubst src/%.c,$(1)/obj/%.o,$(wildcard src/$(2)/*.c))

OBJ_LIB = $(foreach f,core kern ops io,$(call objs,$(P),$(f)))
OBJ_CORE = $(filter-out %/mcl_open.o $(B)/obj/bind/mod_%,$(call objs,$(B),bind))
OBJ_TEXT = $(B)/obj/bind/mcl_open.o $(B)/obj/text.o
OBJ_APP = $(call objs,$(B),app)
LUA_PARTS = $(shell find lua -name '*.lua')

# formats that need a library: src/bind/mod_NAME.c is a Lua C module of its
# own, built where pkg-config knows the library
PC_hdf5 = hdf5
PC_png = libpng
PC_tiff = 'libtiff-4 >= 4.5'
PC_zip = libzip

MODULES := $(foreach m,$(patsubst src/bind/mod_%.c,%,$(wildcard \
             src/bind/mod_*.c)),$(shell { pkg-config --exists $(PC_$(m)) && \
             echo $(m); } 2>/dev/null))

.PHONY: all modules deps demo test check bench floors lint docs env module \
        fuzz fuzz-keep coverage run-fuzz run-coverage \
        install-module install uninstall clean run-test run-demo run-check \
        run-luas run-rock run-bench bench-pointer run-bench-pointer \
        bench-states run-bench-states

all: $(B)/mascon $(B)/lib/mascon/core.so $(B)/libmascon.a \
     $(B)/libmascon.so $(B)/libmascon_lua.so modules

define compile
	@mkdir -p $(@D)
	$(CC) $(STD) $(CFLAGS) $(OPT_$(floor)) $(INC_$(floor)) -MMD -MP -c -o $@ $<
endef

$(P)/obj/%.o: src/%.c
	$(compile)

$(B)/obj/%.o: src/%.c
	$(compile)

$(B)/text.c: $(LUA_PARTS) src/bind/mcl_embed.lua
	@mkdir -p $(@D)
	$(LUA) src/bind/mcl_embed.lua $(sort $(LUA_PARTS)) > $@

$(B)/obj/text.o: $(B)/text.c
	@mkdir -p $(@D)
	$(CC) $(STD) $(CFLAGS) $(INC_bind) -c -o $@ $<

$(B)/libmascon.a: $(OBJ_LIB)
	rm -f $@; ar rcs $@ $^

$(B)/libmascon_lua.a: $(OBJ_LIB) $(OBJ_CORE) $(OBJ_TEXT)
	rm -f $@; ar rcs $@ $^

# each library calls its own functions, also where the program that loads it
# has another copy of them; buffers, threads and what a thread leaves to be
# called at its end may outlive lua_close and dlclose: nodelete
OWN = -Wl,-Bsymbolic -Wl,-z,nodelete

# a library is found by its soname when a program starts
$(B)/libmascon.so: $(OBJ_LIB)
	$(CC) -shared $(SAN_$(SAN)) $(OWN) -Wl,-soname,libmascon.so.$(ABI) -o $@ $^ $(LIBS)
	ln -sf libmascon.so $@.$(ABI)

$(B)/libmascon_lua.so: $(OBJ_LIB) $(OBJ_CORE) $(OBJ_TEXT)
	$(CC) -shared $(SAN_$(SAN)) $(OWN) -Wl,-soname,libmascon_lua.so.$(ABI) \
	  -o $@ $^ $(LIBS)
	ln -sf libmascon_lua.so $@.$(ABI)

$(B)/lib/mascon/core.so: $(OBJ_LIB) $(OBJ_CORE)
	@mkdir -p $(@D)
	$(CC) -shared $(SAN_$(SAN)) $(OWN) -o $@ $^ $(LIBS)

modules: $(MODULES:%=$(B)/lib/mascon/%.so)

$(MODULES:%=$(B)/obj/bind/mod_%.o): $(B)/obj/bind/mod_%.o: src/bind/mod_%.c
	@mkdir -p $(@D)
	$(CC) $(STD) $(CFLAGS) $(INC_bind) $(shell pkg-config --cflags \
	  $(PC_$*)) -MMD -MP -c -o $@ $<

# as core.so: what such a library leaves to be called at exit must stay
$(MODULES:%=$(B)/lib/mascon/%.so): $(B)/lib/mascon/%.so: $(B)/obj/bind/mod_%.o
	@mkdir -p $(@D)
	$(CC) -shared $(SAN_$(SAN)) -Wl,-z,nodelete -o $@ $< \
	  $(shell pkg-config --libs $(PC_$*)) -lpthread

# exports lua_* so that C modules find them
$(B)/mascon: $(OBJ_APP) $(B)/libmascon_lua.a
	$(CC) $(SAN_$(SAN)) -Wl,-E -o $@ $^ $(LUA_LIB) -ledit $(LIBS)

# {------- what a machine needs -------

DEPS = gcc make binutils pkg-config lua5.4 liblua5.4-dev lua-busted \
       libedit-dev libhdf5-dev libpng-dev libtiff-dev libzip-dev python3 python3-numpy \
       locales
MISSING = $(shell dpkg-query -W -f '$${Package} $${Status}\n' $(DEPS) \
          2>/dev/null | awk '/ok installed/ {have[$$1] = 1} \
          END {n = split("$(DEPS)", d); \
          for (i = 1; i <= n; i++) if (!(d[i] in have)) print d[i]}')
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# silent and quick when nothing is missing
deps:
	@missing="$(strip $(MISSING))"; [ -z "$$missing" ] || { \
	  if ! command -v apt-get >/dev/null || \
	     { [ "$$(id -u)" != 0 ] && ! command -v sudo >/dev/null; }; then \
	    echo "please install: $$missing"; exit 1; \
	  fi; \
	  echo "installing: $$missing"; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  $(SUDO) apt-get -qq update && \
	  $(SUDO) apt-get -qq -y --no-install-recommends install $$missing \
	    >/dev/null; }

# -------}


# {------- tests -------

# a plain $(LUA) that finds the module in this tree
PATHS = LUA_PATH='$(CURDIR)/lua/?.lua;$(CURDIR)/lua/?/init.lua;;'
ENV = $(PATHS) LUA_CPATH='$(CURDIR)/$(B)/lib/?.so;;'

env:
	@echo "export $(ENV)"

# busted's own first line starts whatever 'lua' is: name the interpreter
BUSTED = $(ENV) MASCON_BUILD=$(B) MASCON_PLAIN=$(P) MASCON_SAN=$(filter asan tsan,$(SAN)) MASCON_LUA=$(LUA) \
         MASCON_CC='$(CC) $(STD) $(CFLAGS)' MASCON_LIBS='$(LIBS)' \
         MASCON_LUAFLAGS='$(LUA_INC) $(LUA_LIB)' $(TESTLUA) $$(command -v busted) \
         --helper=spec/helper.lua -o spec/handler.lua
TESTLUA = $(LUA)
SPECS = spec

# as 'deps' may install what this file asks for, the rest is a new make
test: deps
	@$(MAKE) --no-print-directory $(FAST) all
	@! pkg-config --exists luajit || $(MAKE) --no-print-directory $(FAST) \
	  LUA=luajit B=build/luajit build/luajit/lib/mascon/core.so
	@$(MAKE) --no-print-directory run-test

# C that specs need: modules that link nothing of ours, hosts, and programs
# that hold templates of kernels against libm
INC_spec = -Iinclude $(LUA_INC)
# and the fuzz targets over NAME.corpus: what each found worth keeping
FUZZ = npy csv csr index call $(if $(filter lua5.4,$(LUA)),script) $(if $(filter zip,$(MODULES)),npz)
SPEC_TOOLS = $(B)/spec/vmath \
  $(patsubst spec/%_module.c,$(B)/spec/%.so,$(wildcard spec/*_module.c)) \
  $(patsubst spec/%_host.c,$(B)/spec/%,$(wildcard spec/*_host.c)) \
  $(FUZZ:%=$(B)/spec/fuzz_%)

$(B)/spec/%.so: spec/%_module.c include/mascon_lua.h include/mascon.h
	@mkdir -p $(@D)
	$(CC) $(STD) $(CFLAGS) $(INC_spec) -shared -o $@ $<

$(B)/spec/%: spec/%_host.c $(B)/libmascon_lua.a
	@mkdir -p $(@D)
	$(CC) $(STD) $(CFLAGS) $(INC_spec) -o $@ $^ $(LUA_LIB) $(LIBS)

$(B)/spec/%: spec/%.c $(wildcard src/kern/*.h)
	@mkdir -p $(@D)
	$(CC) $(STD) $(CFLAGS) $(INC_kern) -o $@ $< -lm

run-test: floors all $(SPEC_TOOLS)
	@$(BUSTED) $(SPECS)

LUAS = lua5.3 luajit
check: DEPS += lua5.3 liblua5.3-dev luajit libluajit-5.1-dev
check: deps
	@$(MAKE) --no-print-directory run-check

# what knows no Lua is tested by one of them
SPECS_LUA = $(filter-out %/build_spec.lua %/cross_spec.lua \
              %/fault_spec.lua %/fuzz_spec.lua %/nested_spec.lua,$(wildcard \
              spec/*_spec.lua))

run-luas:
	@for lua in $(LUAS); do \
	  $(MAKE) --no-print-directory $(FAST) LUA=$$lua B=build/$$lua all && \
	  $(MAKE) --no-print-directory LUA=$$lua B=build/$$lua \
	    SPECS="$(SPECS_LUA)" run-test || exit 1; done

# the rockspec, on a tree where nothing is built, and what it installs
ROCK = $(CURDIR)/build/rock
run-rock:
	@command -v luarocks >/dev/null || { \
	  echo "no luarocks here: the rockspec is not tried"; exit 0; }; \
	rm -rf '$(ROCK)' && mkdir -p '$(ROCK)/from' && \
	cp -r Makefile *.rockspec include lua src '$(ROCK)/from' && \
	cd '$(ROCK)/from' && { env -u MAKEFLAGS -u MAKELEVEL \
	  luarocks --lua-version 5.4 --tree '$(ROCK)/tree' make CC='$(CC)' \
	  >../log 2>&1 || { tail ../log; exit 1; }; } && cd '$(ROCK)/tree' && \
	LUA_PATH='share/lua/5.4/?.lua;share/lua/5.4/?/init.lua' \
	LUA_CPATH='lib/lua/5.4/?.so' lua5.4 -l mascon \
	  -e 'assert(mascon.ones(3):sum() == 3) print "the rock works"'

# every instruction set, a hard collector, other Luas, sanitizers
run-check: all $(SPEC_TOOLS)
	@for cpu in base avx2 avx512 avx512vnni; do \
	  MASCON_CPU=$$cpu $(BUSTED) $(SPECS) || exit 1; done
	@MASCON_GC=hard $(BUSTED) $(SPECS)
	@$(MAKE) --no-print-directory run-luas
	@$(MAKE) --no-print-directory run-rock
	$(MAKE) $(FAST) SAN=asan B=build/asan all
	ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 $(MAKE) SAN=asan B=build/asan \
	  TESTLUA=build/asan/mascon run-test
	$(MAKE) $(FAST) SAN=tsan B=build/tsan all
	TSAN_OPTIONS=allocator_may_return_null=1 $(MAKE) SAN=tsan B=build/tsan \
	  TESTLUA=build/tsan/mascon run-test

# -------}


# {------- fuzzing -------

T = 60
FUZZ_MEMORY = -rss_limit_mb=2500 -malloc_limit_mb=1000
FUZZ_ENV = MASCON_MODULES=$(B)/lib ASAN_OPTIONS=$\
           detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=64

$(B)/spec/fuzz_%: spec/fuzz/fuzz_%.c spec/fuzz/replay.c spec/fuzz/fuzz.h \
                  $(B)/libmascon_lua.a
	@mkdir -p $(@D)
	$(CC) $(STD) $(CFLAGS) $(INC_spec) -Wl,-E -o $@ $(filter %.c %.a,$^) \
	  $(LUA_LIB) $(LIBS)

$(B)/fuzz_%: spec/fuzz/fuzz_%.c spec/fuzz/fuzz.h $(B)/libmascon_lua.a
	$(CC) $(STD) $(CFLAGS) -fsanitize=fuzzer $(INC_spec) -Wl,-E -o $@ \
	  $(filter %.c %.a,$^) $(LUA_LIB) $(LIBS)

# T seconds each: make fuzz T=600 FUZZ="npy csv"; what ends one is said, and
# left in build/fuzz
fuzz:
	@command -v clang >/dev/null || { \
	  echo "please install: clang (Debian: clang libclang-rt-14-dev)"; exit 1; }
	@$(MAKE) --no-print-directory $(FAST) SAN=fuzz CC=clang B=build/fuzz \
	  build/fuzz/libmascon_lua.a modules
	@$(MAKE) --no-print-directory SAN=fuzz CC=clang B=build/fuzz run-fuzz

run-fuzz: $(FUZZ:%=$(B)/fuzz_%)
	@for t in $(FUZZ); do mkdir -p $(B)/$$t; \
	  [ ! -f spec/fuzz/$$t.corpus ] || \
	  $(LUA) spec/fuzz/corpus.lua unpack spec/fuzz/$$t.corpus $(B)/$$t; \
	  echo "$$t:"; \
	  $(FUZZ_ENV) $(B)/fuzz_$$t $(FUZZ_MEMORY) -max_total_time=$(T) \
	    -artifact_prefix=$(B)/$$t- -print_final_stats=1 -verbosity=0 \
	    -close_fd_mask=1 $(B)/$$t || exit 1; done

# the fewest cases that reach what all found so far reach
fuzz-keep:
	@for t in $(FUZZ); do rm -rf build/fuzz/kept; mkdir -p build/fuzz/kept; \
	  $(FUZZ_ENV) build/fuzz/fuzz_$$t $(FUZZ_MEMORY) -verbosity=0 -merge=1 \
	    -close_fd_mask=1 build/fuzz/kept build/fuzz/$$t || exit 1; \
	  $(LUA) spec/fuzz/corpus.lua pack spec/fuzz/$$t.corpus build/fuzz/kept/*; done

# -------}


# {------- coverage -------

# what 'make test' reaches, by folder, then by file: lines and branches in per
# cent; build/cov/lines.html shows which lines are not
coverage:
	@command -v gcovr >/dev/null || { \
	  echo "please install: gcovr (Debian: gcovr)"; exit 1; }
	@$(MAKE) --no-print-directory $(FAST) SAN=cov B=build/cov all
	@find build/cov -name '*.gcda' -delete
	-@$(MAKE) --no-print-directory SAN=cov B=build/cov run-test
	@$(MAKE) --no-print-directory run-coverage

run-coverage:
	@gcovr -r . --filter 'src/(core|kern|ops|io|bind)/' --csv \
	  --html-details build/cov/lines.html build/cov/obj > build/cov/files.csv
	@awk -F, 'function row(name, k) { printf "%-32s %6.1f %6.1f\n", name, \
	    100 * lines[k] / all[k], 100 * ways[k] / (every[k] + !every[k]) } \
	  NR > 1 { split($$1, p, "/"); \
	    for (i = 1; i <= 2; i++) { k = i == 1 ? p[1] "/" p[2] : $$1; \
	      if (!(k in all)) order[i, ++n[i]] = k; \
	      all[k] += $$2; lines[k] += $$3; every[k] += $$5; ways[k] += $$6 } } \
	  END { for (i = 1; i <= 2; i++) \
	    for (j = 1; j <= n[i]; j++) row(order[i, j], order[i, j]) }' \
	  build/cov/files.csv

# -------}


# {------- bench -------

$(B)/bench/limits.so: examples/bench/limits.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O3 -march=native -mprefer-vector-width=512 -fopenmp \
	  -shared -fPIC -Iinclude $(LUA_INC) -o $@ $<

$(B)/bench/pointer.so: examples/bench/pointer.c include/mascon_lua.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -fno-plt -shared -fPIC $(INC_spec) -o $@ $<

$(B)/bench/work.so: examples/bench/pointer.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -DPLAIN -shared -fPIC -o $@ $<

# by every Lua that can be built for, and Python where it has NumPy
bench-pointer: deps
	@for lua in $(LUA) luajit; do pkg-config --exists $$lua || continue; \
	  $(MAKE) --no-print-directory $(FAST) LUA=$$lua run-bench-pointer || exit 1; \
	done
	@for p in /usr/bin/python3 python3; do \
	  $$p -c 'import numpy' 2>/dev/null || continue; \
	  $$p examples/bench/pointer.py build/bench/work.so; break; done

run-bench-pointer: $(B)/lib/mascon/core.so $(B)/bench/pointer.so \
                   $(B)/bench/work.so
	@$(PATHS) LUA_CPATH='$(CURDIR)/$(B)/lib/?.so;$(CURDIR)/$(B)/bench/?.so;;' \
	  $(LUA) examples/bench_pointer.lua

# two states on two threads beside one
bench-states: deps
	@$(MAKE) --no-print-directory run-bench-states

run-bench-states: all $(B)/bench/limits.so $(B)/bench/pointer.so
	@$(PATHS) LUA_CPATH='$(CURDIR)/$(B)/lib/?.so;$(CURDIR)/$(B)/bench/?.so;;' \
	  $(LUA) examples/bench/states.lua

# verifies, then measures; CASES="topn sum" for some, PEERS=0 without Python
bench: deps
	@$(MAKE) --no-print-directory run-bench

run-bench: all $(B)/bench/limits.so
	@$(PATHS) LUA_CPATH='$(CURDIR)/$(B)/lib/?.so;$(CURDIR)/$(B)/bench/?.so;;' \
	  $(LUA) examples/bench/bench.lua

# -------}


# the main jobs, on data that is made for them
demo: deps
	@$(MAKE) --no-print-directory $(FAST) all
	@$(MAKE) --no-print-directory run-demo

run-demo: all
	@mkdir -p build/demo
	@$(B)/mascon examples/demo.lua build/demo


# the rules that include paths alone cannot hold
floors:
	@! grep -rn '#include "\.\./' src
	@! grep -rnE '#include [<"](lua|lauxlib|lualib)' include/mascon.h \
	   src/core src/kern src/ops src/io
	@! grep -rnE 'malloc|calloc|mc_alloc|printf' src/kern
	@! grep -rnE '#pragma omp|omp\.h' src | grep -v '^src/core/par\.c:'

# the reference part of the manual, from the annotations
docs: $(B)/mascon
	@$(B)/mascon -e 'io.write(require "mascon.help".reference())' \
	  > lua/REFERENCE.md

# {------- lint -------

# no clang-format: it has no way to leave two blanks before a comment at a line's
# end, and takes tables and one-line cases apart

# what cppcheck cannot know: that raising does not return, hexadecimal floats,
# elements of vector types
# suppressed: pointers that a kernel writes through, taken for uninitialised
# inputs; bytes of arrays cast to their dtype; a job that ends with its call
LINT_C = --enable=warning,portability,performance --std=c11 --quiet \
         --error-exitcode=1 --suppress=nullPointerRedundantCheck \
         --suppress=incorrectLogicOperator:src/core/dtype.c \
         --suppress='uninitvar:src/kern/*' --suppress=invalidPointerCast \
         --suppress=uninitvar:src/ops/reduce.c --suppress=ctuuninitvar \
         --suppress=autoVariables:src/ops/reduce.c

lint:
	@for tool in luacheck cppcheck; do command -v $$tool >/dev/null || { \
	  echo "please install: $$tool (Debian: lua-check cppcheck)"; exit 1; }; done
	luacheck -q lua spec examples src/bind/mcl_embed.lua
	cppcheck $(LINT_C) $(sort $(INC_ops) $(INC_io) -Isrc/bind -Isrc/app) \
	  src examples

# -------}


# {------- installing -------

INSTALL = install
BINDIR = $(PREFIX)/bin
INCDIR = $(PREFIX)/include
LIBDIR = $(PREFIX)/lib
LUADIR = $(PREFIX)/share/lua/$(LUA_VERSION)
LUACDIR = $(PREFIX)/lib/lua/$(LUA_VERSION)
MANDIR = $(PREFIX)/share/man/man1

# $(call library,NAME): NAME.so.VERSION, and the links by which it is found
define library
	$(INSTALL) -m 644 $(B)/$(1).a '$(DESTDIR)$(LIBDIR)/$(1).a'
	$(INSTALL) -m 755 $(B)/$(1).so '$(DESTDIR)$(LIBDIR)/$(1).so.$(VERSION)'
	ln -sf $(1).so.$(VERSION) '$(DESTDIR)$(LIBDIR)/$(1).so.$(ABI)'
	ln -sf $(1).so.$(ABI) '$(DESTDIR)$(LIBDIR)/$(1).so'
endef

# $(call pc,NAME,DESCRIPTION,REQUIRES): its pkg-config file
define pc
	printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$(INCDIR)' \
	  'libdir=$(LIBDIR)' '' 'Name: $(1)' 'Description: $(2)' \
	  'Version: $(VERSION)' 'Requires: $(3)' 'Cflags: -I$${includedir}' \
	  'Libs: -L$${libdir} -l$(1)' 'Libs.private: $(LIBS)' \
	  > '$(DESTDIR)$(LIBDIR)/pkgconfig/$(1).pc'
endef

# what 'require' finds; alone it is what the rockspec installs
module: $(B)/lib/mascon/core.so modules

install-module: module
	$(INSTALL) -d '$(DESTDIR)$(LUACDIR)/mascon'
	$(INSTALL) -m 755 $(B)/lib/mascon/core.so \
	  $(MODULES:%=$(B)/lib/mascon/%.so) '$(DESTDIR)$(LUACDIR)/mascon'
	@for f in $(LUA_PARTS:lua/%=%); do \
	  $(INSTALL) -D -m 644 lua/$$f '$(DESTDIR)$(LUADIR)'/$$f || exit 1; done

install: all install-module
	$(INSTALL) -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(INCDIR)' \
	  '$(DESTDIR)$(LIBDIR)/pkgconfig' '$(DESTDIR)$(MANDIR)'
	$(INSTALL) -m 755 $(B)/mascon '$(DESTDIR)$(BINDIR)/mascon'
	sed 's/@VERSION@/$(VERSION)/' src/app/mascon.1 \
	  > '$(DESTDIR)$(MANDIR)/mascon.1'
	chmod 644 '$(DESTDIR)$(MANDIR)/mascon.1'
	$(INSTALL) -m 644 include/mascon.h include/mascon_lua.h \
	  '$(DESTDIR)$(INCDIR)'
	$(call library,libmascon)
	$(call library,libmascon_lua)
	$(call pc,mascon,array kernels for C hosts,)
	$(call pc,mascon_lua,array kernels for C hosts with Lua,$(LUA_PC))

uninstall:
	rm -f '$(DESTDIR)$(BINDIR)/mascon' '$(DESTDIR)$(MANDIR)/mascon.1' \
	  '$(DESTDIR)$(INCDIR)'/mascon.h \
	  '$(DESTDIR)$(INCDIR)'/mascon_lua.h \
	  '$(DESTDIR)$(LIBDIR)'/pkgconfig/mascon.pc \
	  '$(DESTDIR)$(LIBDIR)'/pkgconfig/mascon_lua.pc \
	  '$(DESTDIR)$(LIBDIR)'/libmascon.* '$(DESTDIR)$(LIBDIR)'/libmascon_lua.*
	rm -rf '$(DESTDIR)$(LUADIR)/mascon' '$(DESTDIR)$(LUACDIR)/mascon'

# -------}


clean:
	rm -rf build

-include $(shell find $(sort $(B) $(P)) -name '*.d' 2>/dev/null)
