# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# make               builds the library and the command, in build/; `make run` shows them at work
# make install       installs headers, libraries, pkg-config and CMake files, command, man pages and completions, under
#                    PREFIX=/usr/local and DESTDIR; `make install-library` omits the command
# make amalgamation  writes the library as one file with its headers, build/amalgamation/hornet.c
# make provider      builds an OpenSSL 3 provider, build/hornet.so; `make install-provider` installs it into MODULESDIR
# make js            builds the npm package's files in bindings/js/dist/
#
# make check         tests between edits, and installs what these need: 45 seconds on two cores. TESTS=lint: only tests whose names
#                    contain "lint"
# make test          installs what the tests need, and tests: some twenty minutes on two cores. Further suites are test-slow,
#                    test-cross (or test-cross-quick, with one compiler each), test-scale, and test-release, for which CI
#                    has no time
# make format        formats every C, Rust, Go, Python and JavaScript file in place
# make prove         proves kernels for all inputs: basic blocks, generated assembly, the machine code of the library that
#                    `make` leaves and of other compilers, and what joins them. QUICK=1: not the instruction selections,
#                    ChaCha20 but in short calls, and other compilers' code, as CI does
# make compare       compares the speed with that of another revision: BASE=REV. QUICK=1: a minute
# make tune          measures on this CPU, and proposes from which length each kernel is used. QUICK=1: a minute
# make site          builds the web site: documents, guides, results, and the references of all languages, into build/site/
# make dist          builds what is released, into build/dist/. PARTS="crates npm": only these
# make clean
#
# Research, and comparisons with other libraries, have a Makefile of their own: make -C lab
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
objects := $(sources:src/%.c=$(BUILD)/obj/%.o)
provider_objects := $(patsubst bindings/openssl/src/%.c,$(BUILD)/obj/provider/%.o,$(wildcard bindings/openssl/src/*.c))
# For CPUs that check the targets of indirect branches and returns: x86 with CET, if the compiler supports it.
checked_branches := $(shell echo | $(CC) -fcf-protection -x c -c -o /dev/null - 2> /dev/null && echo -fcf-protection)
compile := $(CC) $(CPPFLAGS) $(checked_branches) $(CFLAGS) $(kernels_flags) -fPIC -fvisibility=hidden -MMD -MP
link    := $(CC) $(checked_branches) $(CFLAGS) -Wl,-z,relro,-z,now $(LDFLAGS) -shared

# The version is only in hornet.h; the compiler reads it.
version := $(shell echo HORNET_VERSION | $(CC) -E -P -x c -include include/hornet.h - | tail -n 1 | tr -d '"')
shared  := libhornet.so.$(version)
# The names that are exported, and the number of the SONAME.
exports := src/library/hornet.map
abi     := $(shell sed -n 's/^HORNET_\([0-9]*\) {$$/\1/p' $(exports))

.PHONY: all library command run install install-library amalgamation provider install-provider js python check test \
    test-scale format prove compare tune site dist clean FORCE

all: library command

library: $(BUILD)/libhornet.a $(BUILD)/libhornet.so

# Changes when the compiler or its flags change, and triggers a rebuild of all that depends on it.
$(BUILD)/obj/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(compile) $(link)' | cmp -s - $@ || echo '$(compile) $(link)' > $@

# The compiler writes which headers an object depends on.
-include $(objects:.o=.d) $(provider_objects:.o=.d)

$(BUILD)/obj/%.o: src/%.c $(BUILD)/obj/flags
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

install: install-library command
	tools/install-command.sh '$(BUILD)' '$(DESTDIR)' '$(PREFIX)'

install-library: library
	tools/install-library.sh '$(BUILD)' '$(version)' '$(DESTDIR)' '$(PREFIX)' '$(LIBDIR)'

amalgamation:
	tools/amalgamate.py $(BUILD)/amalgamation

# The provider is linked with nothing but this library; bindings/openssl/src/provider.h says why.
provider: $(BUILD)/hornet.so

$(BUILD)/obj/provider/%.o: bindings/openssl/src/%.c $(BUILD)/obj/flags
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
	bindings/python/test.sh $(ARGS)

check: test-check

test: test-quick

# Installs what the tests of a suite need, and runs them, as many at once as there are CPUs; with TESTS=sum, those whose
# names contain "sum". tests/support/suites.py lists the suites.
test-%:
	tests/install.sh $*
	build/venv/bin/pytest -m $* $(if $(TESTS),-k '$(TESTS)') -n auto --maxschedchunk 1 \
	    --junitxml build/test-results/$*.xml

test-release: export KILL_RUNS = 100
test-release: test-scale

# In build/python, whose packages need no other dependencies; the command is what it compares with.
test-scale: command
	bindings/python/cluster/install.sh
	bindings/python/build.sh
	bindings/python/cluster/test.sh

format:
	clang-format-19 -i $$(git ls-files '*.c' '*.h' '*.cc')
	rustfmt --edition 2024 $$(git ls-files '*.rs')
	gofmt -w $$(git ls-files '*.go')
	build/venv/bin/ruff format $$(git ls-files '*.py')
	bindings/js/node_modules/.bin/prettier --write $$(git ls-files '*.js' '*.ts' 'bindings/js/*.json')

tune:
	tools/apt-install.sh clang-19 libgmp-dev python3-venv
	tools/venv.sh tests/requirements.txt build/venv
	build/venv/bin/python -m tools.measure.crossovers $(if $(QUICK),--processes 1 --rounds 5 --step 64 --longest 1024) $(ARGS)
	build/venv/bin/python -m tools.tune.passes $(if $(QUICK),--runs 2)
	build/venv/bin/python -m tools.tune.batches

compare:
	tools/apt-install.sh clang-19 libgmp-dev python3-venv
	tools/venv.sh tests/requirements.txt build/venv
	build/venv/bin/python -m tools.measure.compare '$(BASE)' $(if $(QUICK),--processes 4 --rounds 5 --step 7) $(ARGS)

# It makes the library, under a lock, because tests prove at the same time.
prove:
	coconut/install.sh
	build/coconut/venv/bin/python -m coconut prove $(if $(QUICK),--no-certificates --compiler '$(CC)' \
	    graphs go go-stitched go-files shipped core objects loops aead-quick algebra dispatch)

site: command
	tools/site/install.sh
	tools/site/build.sh '$(BUILD)/hornet'

# What is released, from the commit that is checked out, with the lists of their SHA-256.
dist:
	tools/release/dist.py $(PARTS)

clean:
	rm -rf build target tests/fuzz/rust/target
