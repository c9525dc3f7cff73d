# make          the library and the command, in build/
# make run      tags and checks real files, and finds the one that is changed in a copy
# make test     installs what the tests need if it is missing, then runs them
# make test-slow       sanitizers, other numbers of lanes, and AVX-512 in an emulator: some twenty minutes
# make test-clients    the tags of repositories that restic makes; builds restic: some minutes
# make bench    times the library beside others, into bench/results/: some ten minutes
# make tune     times the kernels beside one another, and proposes from which length on each serves
# make test-bench      checks the bench, and the tags of all its peers; times nothing
# make clean

CC     ?= cc
CFLAGS ?= -O2

sources := $(wildcard src/*.c src/kernels/*.c)
headers := $(wildcard include/*.h src/*.h src/*.def src/*/*.h)
objects := $(sources:src/%.c=build/obj/%.o)

.PHONY: all library command run test test-slow test-clients bench tune test-bench format clean

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

test-slow:
	tests/install.sh
	tests/run.sh slow

test-clients:
	tests/install.sh
	tests/run.sh clients

bench: command
	bench/install.sh
	cd bench && cargo run --release --locked -- run

tune:
	bench/install.sh
	cd bench && cargo run --release --locked -- tune

test-bench: command
	bench/install.sh
	cd bench && cargo fmt --check
	cd bench && cargo clippy --release --locked --all-targets -- -D warnings
	cd bench && cargo test --release --locked
	cd bench && cargo run --release --locked -- check
	cd bench && out=$$(mktemp -d) && cargo run --release --locked -- run --only lengths,keys,batch \
	    --sections best --peers hornet,openssl --processes 1 --rounds 1 --out $$out && \
	    cargo run --release --locked -- run --only aes,edit,file,tree --small \
	    --sections best --processes 1 --rounds 1 --into $$out/*.json && rm -r $$out

# Formats every C, Rust and Go file in place; `make test` checks it.
format:
	clang-format-19 -i $$(git ls-files '*.c' '*.h')
	cargo fmt
	cd bench && cargo fmt
	gofmt -w $$(git ls-files '*.go')

clean:
	rm -rf build target bench/target
