# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# make               builds the library and the command, in build/; `make run` shows them at work
# make install       installs header, libraries, pkg-config and CMake files, command, man pages and completions, under
#                    PREFIX=/usr/local and DESTDIR; `make install-library` omits the command
# make amalgamation  writes the library as two files, build/amalgamation/hornet.c and hornet.h
# make provider      builds an OpenSSL 3 provider, build/hornet.so; `make install-provider` installs it into MODULESDIR
# make js            builds the npm package's files in bindings/js/dist/
#
# make check         tests between edits, and installs what these need: one minute. TESTS=lint: only tests whose names
#                    contain "lint"
# make test          installs what the tests need, and tests: ten to twenty minutes on two cores. Further suites are test-slow,
#                    test-cross (or test-cross-quick, with one compiler each), test-scale, test-bench, and
#                    test-release, for which CI has no time
# make format        formats every C, Rust, Go, Python and JavaScript file in place
#
# make bench         times the library against others; `make compare BASE=REV` against a git revision
# make bench-js      times the npm package against others in Node and Chromium
# make count-instructions    counts instructions of emulated CPUs, beside OpenSSL's; count-go: of the Go module, beside
#                    golang.org/x/crypto's; count-cycles: cycles of compiled loops and of whole calls,
#                    by llvm-mca
# make study         repeats the papers' experiments on this CPU, into build/study. PUBLISH=1: into study/; QUICK=1: a minute;
#                    ARGS: options of study/run.py, such as --csv
# make circuit       simulates, synthesizes, places and routes Poly1305 as a circuit for an FPGA, into build/circuit/
# make prove         proves kernels for all inputs: basic blocks, generated assembly, machine code, and what joins them
# make coconut       schedules and emits the loops of the vector kernels, into build/coconut/. QUICK=1: two minutes
# make dist          builds what is released, into build/dist/. PARTS="crates npm": only these
# make clean
#
# HORNET_KERNELS="avx2 scalar64" builds (and installs) only these kernels, and HORNET_KERNELS=all also those that are for
# tests and measurements, which the default omits.

CC     ?= cc
CFLAGS ?= -O2
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
BUILD  ?= build

kernels := $(basename $(notdir $(wildcard src/poly1305/kernels/*.c)))
chosen  := $(if $(filter all,$(HORNET_KERNELS)),$(kernels),$(HORNET_KERNELS))
ifneq ($(filter-out $(kernels),$(chosen)),)
$(error HORNET_KERNELS: no kernel $(filter-out $(kernels),$(chosen)); there are $(kernels))
endif
# The default omits what src/poly1305/kernels.def says.
omitted := $(if $(chosen),$(filter-out $(chosen),$(kernels)))
kernels_flags := $(if $(chosen),-DHORNET_ALL_KERNELS=1) $(omitted:%=-DHORNET_OMIT_%=1)

sources := $(filter-out $(omitted:%=src/poly1305/kernels/%.c),$(wildcard src/*/*.c src/*/*/*.c))
headers := $(wildcard include/*.h src/*/*.h src/*/*.def src/*/*/*.h src/*/*/*.def)
objects := $(sources:src/%.c=$(BUILD)/obj/%.o)
# For CPUs that check the targets of indirect branches and returns: x86 with CET, if the compiler supports it.
checked_branches := $(shell echo | $(CC) -fcf-protection -x c -c -o /dev/null - 2> /dev/null && echo -fcf-protection)
compile := $(CC) $(CPPFLAGS) $(checked_branches) $(CFLAGS) $(kernels_flags) -fPIC -fvisibility=hidden
link    := $(CC) $(checked_branches) $(CFLAGS) -Wl,-z,relro,-z,now $(LDFLAGS) -shared

# The version is only in hornet.h; the compiler reads it.
version := $(shell echo HORNET_VERSION | $(CC) -E -P -x c -include include/hornet.h - | tail -n 1 | tr -d '"')
shared  := libhornet.so.$(version)
# The names that are exported, and the number of the SONAME.
exports := src/library/hornet.map
abi     := $(shell sed -n 's/^HORNET_\([0-9]*\) {$$/\1/p' $(exports))

.PHONY: all library command run install install-library install-command amalgamation provider install-provider js \
    check test deps test-slow test-cross test-cross-quick test-release test-scale test-bench format bench bench-js bench-python python study tune \
    compare count-instructions count-go count-cycles circuit coconut prove prove-shipped dist clean FORCE

all: library command

library: $(BUILD)/libhornet.a $(BUILD)/libhornet.so

# Changes when the compiler or its flags change, and triggers a rebuild of all that depends on it.
$(BUILD)/obj/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(compile) $(link)' | cmp -s - $@ || echo '$(compile) $(link)' > $@

$(BUILD)/obj/%.o: src/%.c $(headers) $(BUILD)/obj/flags
	@mkdir -p $(@D)
	$(compile) -c -o $@ $<

$(BUILD)/libhornet.a: $(objects)
	rm -f $@
	$(AR) rcs $@ $(objects)

# Creates the file, the name under which programs find it, and the name under which the linker does.
$(BUILD)/libhornet.so: $(objects) $(exports)
	$(link) -Wl,-soname,libhornet.so.$(abi) -Wl,--version-script=$(exports) -o $(BUILD)/$(shared) $(objects)
	ln -sf $(shared) $(BUILD)/libhornet.so.$(abi)
	ln -sf $(shared) $@

command:
	cargo build --release --locked --package hornet-poly1305-cli
	@mkdir -p $(BUILD)
	cp target/release/hornet $(BUILD)/hornet.new # a copy may be running
	mv $(BUILD)/hornet.new $(BUILD)/hornet

run: command library
	tools/demo.sh

install: install-library install-command

install-library: library
	tools/install-library.sh '$(BUILD)' '$(version)' '$(DESTDIR)' '$(PREFIX)' '$(LIBDIR)'

install-command: command
	tools/install-command.sh '$(BUILD)' '$(DESTDIR)' '$(PREFIX)'

amalgamation:
	tools/amalgamate.py $(BUILD)/amalgamation

# The provider is linked with nothing but this library; bindings/openssl/src/provider.h says why.
provider_objects := $(patsubst bindings/openssl/src/%.c,$(BUILD)/obj/provider/%.o,$(wildcard bindings/openssl/src/*.c))

provider: $(BUILD)/hornet.so

$(BUILD)/obj/provider/%.o: bindings/openssl/src/%.c $(wildcard bindings/openssl/src/*.h) $(headers) $(BUILD)/obj/flags
	@mkdir -p $(@D)
	$(compile) -Iinclude -c -o $@ $<

$(BUILD)/hornet.so: $(provider_objects) $(BUILD)/libhornet.a
	$(link) -Wl,-z,defs -Wl,--exclude-libs,ALL -o $@ $^

install-provider: provider
	bindings/openssl/install.sh '$(BUILD)' '$(DESTDIR)' '$(MODULESDIR)'

js:
	bindings/js/install.sh
	bindings/js/build.sh

python:
	bindings/python/install.sh
	bindings/python/build.sh
	bindings/python/test.sh

# Runs the tests of a suite, as many at once as there are CPUs; with TESTS=sum, those whose names contain "sum".
run_suite = build/venv/bin/pytest -m $(1) $(if $(TESTS),-k '$(TESTS)') -n auto --maxschedchunk 1 \
    --junitxml build/test-results/$(1).xml

check:
	tests/install.sh check
	$(call run_suite,check)

deps:
	tests/install.sh

test: deps
	$(call run_suite,quick)

test-slow: deps
	coconut/install.sh
	study/circuit/install.sh
	bindings/python/install.sh
	tests/integration/provider/install.sh
	tests/integration/packages/install.sh
	bindings/js/tests/hosts/install.sh
	tools/apt-install.sh restic
	$(call run_suite,slow)

test-cross: deps
	tests/cross/install.sh
	$(call run_suite,cross)

test-cross-quick: deps
	tests/cross/install.sh
	$(call run_suite,cross-quick)

test-release: deps test-bench test-scale
	KILL_RUNS=100 bindings/python/cluster/test.sh -k killed
	coconut/install.sh
	$(call run_suite,release)

# In build/python, whose packages need no other deps; the command is what it compares with.
test-scale: command
	bindings/python/cluster/install.sh
	bindings/python/build.sh
	bindings/python/cluster/test.sh

test-bench: deps command
	bench/install.sh
	build/venv/bin/python -m pytest bench/tests

format:
	clang-format-19 -i $$(git ls-files '*.c' '*.h' '*.cc')
	cargo fmt
	cd bench && cargo fmt
	cd tests/fuzz/rust && cargo fmt
	gofmt -w $$(git ls-files '*.go')
	build/venv/bin/ruff format $$(git ls-files '*.py')
	bindings/js/node_modules/.bin/prettier --write $$(git ls-files '*.js' '*.ts' 'bindings/js/*.json')

bench: command
	bench/install.sh
	build/venv/bin/python bench/measure.py run $(if $(QUICK),--processes 2 --rounds 3 --small --out build/bench)

bench-python: library
	bindings/python/install.sh
	bindings/python/build.sh
	build/python/venv/bin/python bindings/python/bench/measure.py

bench-js: js
	npm ci --prefix bindings/js/bench --no-audit --no-fund
	node bindings/js/bench/run.js $$(command -v chromium)

study:
	tools/apt-install.sh clang-19 libgmp-dev python3-venv
	tools/venv.sh tests/requirements.txt build/venv
	build/venv/bin/python study/run.py $(if $(QUICK),--quick) $(if $(PUBLISH),--publish) $(ARGS)

tune:
	bench/install.sh
	build/venv/bin/python bench/measure.py tune $(if $(QUICK),--longest 1024 --step 64 --rounds 5)
	python3 -m tools.tune.passes $(if $(QUICK),--runs 2)

compare:
	bench/install.sh
	build/venv/bin/python bench/measure.py compare '$(BASE)' $(if $(QUICK),--processes 4 --rounds 5)

count-instructions: deps
	tests/cross/install.sh
	tests/cross/counts/instructions.py

count-go: deps
	tests/cross/install.sh
	tests/cross/counts/go_module.py

count-cycles: deps
	tests/cross/install.sh
	tools/apt-install.sh llvm-19
	tests/cross/counts/cycles.py
	tests/cross/counts/call_cycles.py

circuit:
	study/circuit/install.sh --synthesis
	study/circuit/test.sh
	build/circuit/venv/bin/python -m study.circuit.synthesize

prove: library
	coconut/install.sh
	build/coconut/venv/bin/python -m coconut prove

# What CI has time for: not the basic blocks, the instruction selections, and clang's code.
prove-shipped: library
	coconut/install.sh
	build/coconut/venv/bin/python -m coconut prove --compiler gcc go go-chacha20 go-stitched objects loops algebra dispatch

# With QUICK=1, few loops are scheduled, and none by CP-SAT with register constraints.
coconut:
	coconut/install.sh
	build/coconut/venv/bin/python -m coconut simulate
	build/coconut/venv/bin/python -m coconut instructions
	build/coconut/venv/bin/python -m coconut draw $(if $(QUICK),'avx2/step 1' 'ifma/step 1' 'vmsl/step 1')
	build/coconut/venv/bin/python -m coconut table $(if $(QUICK),--quick --seconds 10)
	build/coconut/venv/bin/python -m coconut emit $(if $(QUICK),'avx2/step 2')
	build/coconut/venv/bin/python -m coconut go --check

# What is released, from the commit that is checked out, with the lists of their SHA-256.
dist:
	tools/release/dist.py $(PARTS)

clean:
	rm -rf build target bench/target tests/fuzz/rust/target
