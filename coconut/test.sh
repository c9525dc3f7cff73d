#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Tests coconut/: graphs against the model lanes, instructions against this CPU and emulated ones, schedules, and emitted code.
# Then plants mistakes, which must be noticed.
set -eu
cd "$(dirname "$0")/.."
coconut/install.sh --check
python=$PWD/build/coconut/venv/bin/python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

coconut() { "$python" -m coconut "$@"; }

# expect TEXT COMMAND...: fails unless the command succeeds and prints TEXT.
expect() {
    local text=$1
    shift
    "$@" > "$work/said" 2>&1 || { cat "$work/said"; exit 1; }
    cat "$work/said"
    grep -qF -- "$text" "$work/said" || { echo "$*: does not say: $text" >&2; exit 1; }
}

coconut simulate
coconut instructions
coconut bounds
coconut schedules
# The reader of the output may close the pipe early.
coconut lines 2> "$work/said" | true
[ ! -s "$work/said" ] || { cat "$work/said"; exit 1; }
expect 'mul32(t[0], R^1[0])' coconut print 'avx2/step 1'
expect '.svg' coconut draw 'vmsl/step 1'
for colour in cfe2f3 f9cb9c d9ead3; do # expand, multiply, reduce
    grep -q "#$colour" build/coconut/pictures/vmsl-step-1.svg
done
expect '| optimal |' coconut table 'avx2/long group' --seconds 10
expect ' s, cut off by the limit |' coconut table 'rvv2/step 2' --seconds 1 # two minutes do not find a schedule at the bound
expect '| 50 | 44 | 50 | optimal |' coconut table 'vmsl/step 1' --seconds 200 # found in two seconds
# Both vector units are busy in every cycle of the interval.
expect '-z14.svg' coconut draw 'vmsl/step 1' --schedule z14 --seconds 200
[ "$(grep -o '>100 %<' build/coconut/pictures/vmsl-step-1-z14.svg | wc -l)" = 2 ]
expect '| 36 | optimal |' coconut table 'ifma/step 2' --seconds 200 # each instruction has a port of Zen 4
expect 'with 8 lanes, run by qemu-riscv64' coconut emit --folder "$work/emitted"

# Go's assembler accepts the file, go vet finds that the functions match their declarations, and it runs.
cp coconut/go/lines_test.go "$work/emitted"
printf 'module emitted\n\ngo 1.24\n' > "$work/emitted/go.mod"
(cd "$work/emitted" && gofmt -l . | (! grep .) && go vet . && go test .)
# The same on other architectures, where one RISC-V program serves vectors of 128, 256 and 512 bits.
(
    cd "$work/emitted"
    GOARCH=s390x go vet .
    GOARCH=s390x go test -exec 'qemu-s390x -cpu max' .
    GOARCH=riscv64 go vet .
    GOARCH=riscv64 go test -c -o lines.test .
    for lanes in 2 4 8; do
        file=lines_riscv64_$lanes.json
        [ "$lanes" = 2 ] && file=lines_riscv64.json
        LINES=$file qemu-riscv64 -cpu "rv64,v=true,vlen=$((64 * lanes)),vext_spec=v1.0" ./lines.test
    done
)
# shellcheck disable=SC2016 # the assembler's, not the shell's
sed -i '0,/VPSRLQ \$26/s//VPSRLQ $27/' "$work/emitted/lines_amd64.s"
if (cd "$work/emitted" && go test .) > "$work/said" 2>&1; then
    echo "another shift in the emitted file is not noticed" >&2
    exit 1
fi

# The Go module contains the generated files, which are the same on every machine.
PYTHONHASHSEED=1 coconut go --check

# The Go module's scalar function runs, natively or in an emulator, and a mistake in it is noticed. Only this finds a wrong Go
# template, which is read back and simulated as it was meant.
cp -r bindings/go "$work/module"
scalar_mistake() {
    local goarch=$1 from=$2 to=$3
    local file=internal/poly1305/emitted_scalar_$goarch.s
    sed -i "0,/$from/s//$to/" "$work/module/$file"
    ! cmp -s "bindings/go/$file" "$work/module/$file" || { echo "$file: nothing to change there" >&2; exit 1; }
    local emulator=()
    [ "$goarch" = amd64 ] || emulator=(-exec "qemu-${goarch/arm64/aarch64}")
    for module in bindings/go "$work/module"; do
        if (cd "$module" && GOARCH=$goarch go test "${emulator[@]}" -run 'PowersAtTheEdge|BlockOrder|Padding|Alignments' ./internal/poly1305) \
            > "$work/said" 2>&1; then
            [ "$module" = bindings/go ] || { echo "$file: a mistake is not noticed: $to" >&2; exit 1; }
        else
            [ "$module" != bindings/go ] || { cat "$work/said"; exit 1; }
        fi
    done
    echo "noticed: $goarch: $(grep -m 1 -- 'poly1305_test' "$work/said")"
}
# shellcheck disable=SC2016 # the assembler's, not the shell's
scalar_mistake amd64 'SHRQ \$2, AX' 'SHRQ $3, AX'
scalar_mistake arm64 'ADCS' 'ADDS'
scalar_mistake riscv64 'SLTU \(X[0-9]*\), \(X[0-9]*\)' 'SLTU \2, \1'
scalar_mistake s390x 'ADDE' 'ADDC'

# mistake FILE FROM TO COMMAND...: makes the change in a copy of the tree, where the command must then fail.
mistake() {
    local file=$1 from=$2 to=$3
    shift 3
    rm -rf "$work/tree"
    mkdir -p "$work/tree/tests"
    cp -r coconut src "$work/tree"
    cp -r tests/support tests/vectors "$work/tree/tests"
    sed -i "s/$from/$to/" "$work/tree/$file"
    ! cmp -s "$file" "$work/tree/$file" || { echo "$file: nothing to change there" >&2; exit 1; }
    if (cd "$work/tree" && "$python" -m coconut "$@") > "$work/said" 2>&1; then
        echo "$file: a mistake is not noticed: $to" >&2
        exit 1
    fi
    echo "noticed: $(tail -n 1 "$work/said")"
}

# An operation's meaning, the operation that graph lanes record, a rule, an order of blocks, an instruction, an allocation.
mistake coconut/operations.py 'hi << 20' 'hi << 21' simulate ifma256
mistake coconut/lanes/graph.h 'record2("sub", a.node, b.node)' 'record2("sub", b.node, a.node)' simulate ifma256
mistake coconut/lanes/graph_summed.h 'record2("sums_high"' 'record2("sums_low"' simulate vmsl
mistake coconut/architectures/amd64.py '0b10101000' '0b10101010' simulate ifma
mistake coconut/architectures/amd64.py 'i \/\/ 2 + i % 2 \* (lanes \/\/ 2)' 'i' simulate avx2
mistake coconut/architectures/amd64.py 'else b)\[i - i % 2 + odd\]' 'else b)[i - i % 2 + 1 - odd]' instructions
mistake coconut/registers.py 'if last\[arg\] == i' 'if last[arg] <= i + 1' emit 'avx2/step 2' --folder "$work/broken"
mistake coconut/architectures/amd64.py 'operands = operands\[1:\]' 'operands = operands[:-1]' emit 'ifma/step 4' --folder "$work/broken"
# Spilled values: where they are, and for how long; a register that is not cleared.
mistake coconut/registers.py 'stores=True' 'stores=False' emit 'avx2/begin 8' --folder "$work/broken"
mistake coconut/registers.py 'value, now) < len(self.program.ops)' 'value, now) < now + 60' emit 'avx2/begin 8' --folder "$work/broken"
mistake coconut/architectures/amd64.py 'for i in range(registers)' 'for i in range(registers - 1)' emit 'ifma/end' --folder "$work/broken"
mistake coconut/lanes/graph_words.h 'record2("xor32"' 'record2("add32"' simulate chacha20-256
mistake coconut/architectures/amd64_words.py '(byte - bits \/\/ 8)' '(byte + bits \/\/ 8)' simulate chacha20-256
mistake coconut/architectures/amd64_words.py 'a\[2\], b\[2\], a\[3\], b\[3\]' 'a[2], b[2], b[3], a[3]' instructions
# What only the next iteration shows, in files that are read back but not run: a register that no longer holds what was loaded.
mistake coconut/emit.py 'allocate(program), syntax),' \
    'allocate(program), syntax), syntax.move(31, 0), syntax.move(0, 1),/; s/syntax.store(register, place)/syntax.store(register or 31, place)' \
    go poly1305 --folder "$work/broken"
mistake coconut/registers.py 'in \[\*range(len(program.inputs), first), \*' 'in [*' go poly1305 --folder "$work/broken"
# Functions of several blocks: when a value is spilled, where the counter is, how often a block runs, and that frame and
# registers are cleared.
# shellcheck disable=SC2016 # Python's braces
for change in 'next_use(value, now + 1) is not/next_use(value, now + 3) is not' 'COUNTER = 48/COUNTER = 52' \
    'MOVQ \${part.turns}/MOVQ ${part.turns + 1}' 'range(0, written.frame_bytes,/range(64, written.frame_bytes,' \
    'syntax.clear(architecture.registers)/syntax.clear(architecture.registers - 1)'; do
    mistake coconut/functions.py "${change%%/*}" "${change#*/}" go chacha20 --folder "$work/broken"
done
# Words: what is recorded, a comparison, an overwritten flag, what stays together, where values are between basic blocks.
mistake coconut/lanes/graph_scalar.h 'record1_imm("shr", a.node, (uint64_t)n)' 'record1_imm("shr", a.node, (uint64_t)n + 1)' simulate scalar64
mistake coconut/architectures/scalar_riscv64.py 'a < b' 'a <= b' instructions
mistake coconut/architectures/scalar_s390x.py 'destroys=(FLAGS,),$' '' instructions
mistake coconut/program.py 'ends\[before\] = max(ends\[before\], after)' 'ends[before] = before' emit scalarBlocks --folder "$work/broken"
mistake coconut/scalar_function.py 'place = {name: register for register' 'place = {name: len(function.loop.inputs) - 1 - register for register' \
    emit scalarBlocks --folder "$work/broken"
# Derived bounds: one that is only stated, an operation's rule, limits of inputs that are missing or that an iteration breaks.
mistake coconut/bounds.py 'min(bound, WORD_MAX))' 'min(bound, node.limit))' bounds
mistake coconut/bounds.py '(1 << (a | b).bit_length()) - 1' 'max(a, b)' bounds
mistake coconut/bounds.py 'min(a, cut_to) \* min(b, cut_to)' 'min(a \* b, cut_to)' bounds
mistake coconut/lines/decimated.h 'line_in_max(MULTIPLIER_MAX)' '(void)0' simulate rvv2
mistake coconut/lines/decimated.h 'line_in_max(FE_LIMB_MAX)' 'line_in_max(FE_LIMB_MAX \/ 4)' bounds
# The number of stages, not the clock, proves that there is no schedule. What a resource has room for.
mistake coconut/optimal.py 'and max(enough) > few' 'and False' schedules
mistake coconut/optimal.py '(k + 1) \* (interval - 1)' 'k * (interval - 1)' schedules
mistake coconut/optimal.py 'else "unknown"), None' 'else "none"), None' schedules
mistake coconut/schedule.py 'else time + k\] += room' 'else time + k] = room' schedules
mistake coconut/schedule.py 'for part in cost.parts if part.ports <= union' 'for part in cost.uses if part.ports < union' schedules
# Emulated CPUs: an instruction's meaning, what only four iterations show, elements of another size, another power, a rule.
mistake coconut/architectures/s390x.py 'a\[0\] \* b\[0\] + a\[1\] \* b\[1\]' 'a[0] * b[1] + a[1] * b[0]' instructions
mistake coconut/architectures/s390x.py 'aghi %r4, {advance}' 'aghi %r4, {advance + 16}' emit 'vmsl/step 1' --folder "$work/broken"
mistake coconut/architectures/rvv.py ', x0, e64' ', x0, e32' emit 'rvv2/step 2' --folder "$work/broken"
mistake coconut/architectures/rvv.py 'vectors %= 8' 'vectors = 0' emit 'rvv2/step 2' --folder "$work/broken"
mistake coconut/architectures/neon.py '"zip2" if high else "zip1"' '"zip1" if high else "zip2"' simulate neon
mistake coconut/architectures/neon.py 'uzp1 v{d}' 'uzp2 v{d}' emit 'neon/step 2' --folder "$work/broken"
echo "coconut: all tests passed"
