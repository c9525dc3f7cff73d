# make          the library and the command, in build/
# make run      tags and verifies a real file, and sees that a changed copy does not verify
# make test     installs what the tests need if it is missing, then runs them
# make test-emulated   the AVX-512 kernels against GMP in an emulator, on any CPU: some ten minutes
# make speed    times the kernels beside libcrypto
# make clean

CC     ?= cc
CFLAGS ?= -O2

sources := $(wildcard src/*.c src/kernels/*.c)
headers := $(wildcard include/*.h src/*.h src/*.def src/*/*.h)
objects := $(sources:src/%.c=build/obj/%.o)

.PHONY: all library command run test test-emulated speed format clean

all: library command

library: build/libhornet.a build/libhornet.so

build/obj/%.o: src/%.c $(headers)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fPIC -fvisibility=hidden -c -o $@ $<

build/libhornet.a: $(objects)
	$(AR) rcs $@ $^

build/libhornet.so: $(objects)
	$(CC) $(CFLAGS) -shared -Wl,-soname,libhornet.so.0 -o $@ $^

command:
	cargo build --release --locked --package hornet-cli
	@mkdir -p build
	cp target/release/hornet build/hornet

run: command
	tools/demo.sh

test:
	tests/install.sh
	tests/run.sh quick

test-emulated:
	tests/install.sh
	tests/run.sh emulated

build/speed: tools/speed.c $(sources) $(headers)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ tools/speed.c $(sources) -lcrypto

speed: build/speed
	build/speed

# Formats every C and Rust file in place; `make test` checks it.
format:
	clang-format-19 -i $$(git ls-files '*.c' '*.h')
	cargo fmt

clean:
	rm -rf build target
