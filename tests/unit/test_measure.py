# SPDX-License-Identifier: Apache-2.0 OR MIT
"""tools/measure: wrong peers are found, samples beside a busy thread are told apart, slower builds and better crossovers
are noticed. All decisions are tested on recorded or made-up samples; no test depends on a time."""

import json
import math

import numpy
import pytest
from support import ROOT, STRICT, compiled, output, run, suite
from support.products import made_library

from tools.measure import compare, crossovers, intervals, samples

# What measure.c printed on an EPYC, Zen 4, beside an idle thread; and the same for a clock of 2.99 GHz and a core that
# another thread shared for a part of the time, where an addition takes 1.4 cycles.
IDLE = {"add": [1122, 1121, 1141, 1121, 1182], "mul": [842, 841, 852, 841, 862]}
BUSY = {"add": [1370, 1366, 1919, 1911, 1374], "mul": [1031, 1027, 1033, 1027, 1060]}
SLOWED = {"add": [2244, 2242], "mul": [1684, 1682]}  # the clock halved


@suite("quick", cpu_seconds=30)
def test_measure_checks_peers(folder):
    """A peer that is wrong on one input among thousands is not measured, and the message names it, the operation and the
    input."""
    objects = compiled(folder, ["gcc", "-O2", *STRICT, "-Wno-missing-prototypes"], [*samples.SOURCES])
    program = folder / "measure"
    run("gcc", "-o", program, *objects, "-lgmp", "-ldl")
    peers = {}
    for mistake in range(6):
        peers[mistake] = folder / f"planted{mistake}.so"
        options = ["-O2", "-fPIC", "-shared", "-fvisibility=hidden", f"-DPLANTED={mistake}"]
        run("gcc", *options, "-o", peers[mistake], "tests/unit/planted_peer.c", "-lcrypto")
    hornet = made_library() / "libhornet.so"

    def measure(*words, cases="mac len=16\n", status=0):
        text = output("sh", "-c", '"$@" 2>&1; echo "status $?"', "sh", program, *words, stdin=cases.encode())
        assert text.splitlines()[-1] == f"status {status}", text
        return text

    right = measure("--rounds", 2, f"hornet={hornet}", f"planted={peers[0]}")
    checks = [row for line in right.splitlines() if "check" in (row := json.loads(line) if line[0] == "{" else {})]
    assert [(one["check"], one["op"]) for one in checks if one["wrong"] == 0] == [
        *(("hornet", operation) for operation in "mac aes pieces batch seal open seal_batch open_batch".split()),
        *(("planted", operation) for operation in "mac seal open".split()),
    ]
    assert min(one["inputs"] for one in checks if one["op"] == "mac") > 12000
    assert min(one["inputs"] for one in checks if one["op"] == "open") > 1000
    measured = [json.loads(line) for line in right.splitlines() if '"case"' in line]
    assert [(one["op"], one["peer"], len(one["ns"])) for one in measured] == [("mac", 0, 2), ("mac", 1, 2)]
    for mistake, message in (
        (1, "planted: mac is wrong for 2 of"),
        (2, "planted: mac is wrong for 1 of"),
        (3, "planted: seal is wrong for"),
        (4, "planted: open is wrong for"),
    ):
        text = measure(f"hornet={hornet}", f"planted={peers[mistake]}", status=1)
        assert message in text and '"case"' not in text
        first = ["64 bytes of 0xff, r 1, s 0", "777 random bytes", "4096 bytes, 0 of", "100 bytes, "][mistake - 1]
        assert f"first for {first}" in text
    tolerated = measure("--tolerant", "--rounds", 1, f"planted={peers[1]}", f"none={peers[5]}")
    assert '"missing": "a reason"' in tolerated and tolerated.count('"case"') == 1
    for words, cases, message in (
        ([f"none={peers[5]}"], "", "none: a reason"),
        (["none=/nowhere.so"], "", "/nowhere.so: No such file"),
        ([f"none={program}"], "", "/measure: "),
        ([f"hornet={hornet},poly1305=none"], "", "hornet: no kernel none runs here"),
        ([f"hornet={hornet},none=1"], "", "hornet: unknown option none=1"),
        (["hornet"], "", "hornet: must be NAME=FILE"),
        ([], "", "nothing to measure"),
        ([f"hornet={hornet}", "--no-check"], "mac len=x\n", "x is not a number"),
        ([f"hornet={hornet}", "--no-check"], "mac none=1\n", "unknown quantity none"),
        ([f"hornet={hornet}", "--no-check"], "none len=1\n", "unknown operation none"),
        ([f"hornet={hornet}", "--no-check"], "mac len=1 keys=3\n", "must be a power of two"),
        ([f"hornet={hornet}", "--no-check"], "open+seal len=1\n", "must not be sealed"),
    ):
        assert message in measure(*words, cases=cases, status=2)


@suite("quick")
def test_measure_operations():
    """Every operation of the library is measured, as often as asked."""
    cases = [
        "mac len=16",
        "mac len=100 chained=1",
        "mac len=100 offset=3 keys=128",
        "batch+mac lens=16,700,3,5",
        "pieces len=5000 first=16 then=4096",
        "seal len=100 aad=13",
        "open len=0 aad=13",
        "seal_batch+seal lens=5,6 aad=3",
        "open_batch lens=5,6 aad=3",
        "aes len=64 keys=1",
        "mac len=64 exact=7",
        "mac len=16 peers=0",
    ]
    hornet = str(made_library() / "libhornet.so")
    peers = {"one": hornet, "scalar": f"{hornet},poly1305=scalar64"}
    found = samples.parse(samples.run_lines(peers, cases, "--no-check", "--rounds", 3))
    operations = [case.split()[0].split("+") for case in cases]
    expected = {(i, of, peer) for i, ofs in enumerate(operations) for of in ofs for peer in peers} - {
        (11, "mac", "scalar")
    }
    assert set(found.samples) == expected and len(expected) == 27
    assert all(len(one.ns) == 3 and min(one.ns) > 0 for one in found.samples.values())
    assert found.peers[0]["kernels"][0] and found.peers[1]["kernels"][0] == "scalar64"


def lines_of(times: dict[str, list[list[int]]], chains: dict[str, list[int]] = IDLE) -> list[str]:
    """Return lines of measure.c: for each peer, the samples of each case, of messages of `mac`."""
    head = {"additions": 4096, "multiplications": 1024, "peers": [{"name": name, "version": ""} for name in times]}
    rows = [head]
    for case in range(len(next(iter(times.values())))):
        for peer, of in enumerate(times.values()):
            rounds = len(of[case])
            chain = {key: (values * rounds)[:rounds] for key, values in chains.items()}
            rows.append({"case": case, "op": "mac", "peer": peer, "count": 10, "ns": of[case], **chain})
    return [json.dumps(row) for row in rows]


@suite("check quick")
def test_measure_tells_busy_threads():
    idle = samples.parse(lines_of({"a": [[100] * 5]}, IDLE), "x86_64")
    busy = samples.parse(lines_of({"a": [[100, 100, 150, 160, 100]]}, BUSY), "x86_64")
    slowed = samples.parse(lines_of({"a": [[100] * 2]}, SLOWED), "x86_64")
    assert idle.busy() == 0 and slowed.busy() == 0
    assert busy.samples[0, "mac", "a"].busy.tolist() == [False, False, True, True, False]
    # Only samples beside an idle thread count, unless most were beside a busy one.
    assert busy.samples[0, "mac", "a"].median() == 10
    assert samples.parse(
        lines_of({"a": [[100, 150, 160]]}, {"add": [1370, 1919, 1911], "mul": [1031, 1033, 1027]})
    ).samples[0, "mac", "a"].median() == pytest.approx(15.5)
    # The clock is seen, whatever the thread does.
    assert idle.clock()[1] / slowed.clock()[1] == pytest.approx(2, rel=0.01)
    assert busy.samples[0, "mac", "a"].ghz == pytest.approx([2.98, 2.99, 2.97, 2.99, 2.90], abs=0.01)
    # A ratio is of one round and one state.
    run_ = samples.parse(lines_of({"a": [[100, 100, 150, 160, 100]], "b": [[200, 110, 165, 176, 210]]}, BUSY))
    a, b = (run_.samples[0, "mac", peer] for peer in "ab")
    assert (b.ratio_to(a, "busy"), b.ratio_to(a, "idle")) == (pytest.approx(1.1), 2)
    b.busy[:] = ~b.busy
    assert b.ratio_to(a) is None


def processes(slower: float = 1.0, groups: tuple[str, ...] = (), count: int = 12, chains=IDLE):
    """Return cases, and the runs of processes with noise of 1 %; the tree is slower in some groups."""
    noise = numpy.random.default_rng(5)
    measured = [case for case in compare.cases(8) if case.operation == "mac"]

    def times(factor: float) -> list[list[int]]:
        return [
            [int(10000 * (slower if case.group in groups else 1) ** factor * noise.normal(1, 0.01)) for _ in range(5)]
            for case in measured
        ]

    both = [{compare.BASE: times(0), compare.TREE: times(1)} for _ in range(count)]
    return measured, [samples.parse(lines_of(one, chains)) for one in both]


@suite("check quick")
def test_measure_compare():
    """A build that is 2 % slower at some lengths is noticed there and nowhere else, and a same build is not."""
    group = "mac, 256 to 1023 bytes"
    for slower, in_group, in_all in (
        (1.0, "no difference", "no difference"),
        (1.02, "slower", "slower"),
        (0.98, "faster", "faster"),
    ):
        measured, runs = processes(slower, (group,))
        found = compare.evaluated(measured, runs)
        assert len(found) == len(measured) == 298
        said = {line[:32].strip(): line for line in compare.text("gcc", found, runs).splitlines()}
        for name in {case.group for case in measured} - {group}:
            assert said[name].endswith("no difference"), said[name]
        assert said[group].endswith(in_group) and said["all"].endswith(in_all)
        of_group = compare.mean([one for one in found if one.case.group == group])
        assert of_group.low <= slower <= of_group.high and of_group.high - of_group.low < 0.005
        worst = [line for line in said.values() if line.startswith("  mac")]
        assert len(worst) == compare.WORST
        if slower > 1:
            assert sum(256 <= int(line.split()[1]) < 1024 for line in worst) >= 9
        assert "busy beside 0 % of the samples" in "".join(said.values()) and "GHz" in "".join(said.values())
    _, runs = processes(count=2)
    assert "slower" not in compare.text("few", compare.evaluated(measured, runs), runs)
    _, runs = processes(1.05, (group,), chains=BUSY)
    text = compare.text("busy", compare.evaluated(measured, runs), runs)
    assert "busy beside 40 % of the samples" in text and "  busy: 1.0" in text and "  idle: 1.0" in text


@suite("check quick")
def test_measure_compare_errors(folder):
    for words, message in (
        (["no-such-revision"], "there is no folder and no revision 'no-such-revision'"),
        (["HEAD", "--lengths", "5000..5001"], "no case is left"),
        (["HEAD", "--processes", "3"], "must be an even number"),
        (["HEAD", "--out", "/nowhere/out.xz"], "/nowhere/out.xz: there is no such folder"),
        ([ROOT / "docs", "--compiler", "gcc"], "docs, gcc: make"),
        ([""], "name a revision or a folder"),
    ):
        command = ["build/venv/bin/python", "-m", "tools.measure.compare", *words]
        text = output("sh", "-c", '"$@" 2>&1; echo "status $?"', "sh", *command)
        assert message in text and text.endswith("status 2\n")


# Costs that are linear in the length: wide kernels cost more to start and less per byte.


def wide(n):  # meets narrow at 792, scalar at 227.4
    return 200 + 0.125 * n


def narrow(n):  # meets scalar at 133.3
    return 101 + 0.25 * n


def scalar(n):
    return 1 + n


GRID = range(0, 4097, 16)


def found(costs, lengths=GRID):
    return crossovers.crossovers({n: [cost(n) for cost in costs] for n in lengths})


@suite("check quick")
def test_crossovers():
    # Each kernel is compared with what serves below it: without the one between them, the wide one pays off earlier.
    assert found([wide, narrow, scalar]) == [800, 144, 0] and found([wide, scalar]) == [240, 0]
    # Gains are weighed against losses on longer messages.
    assert found([lambda n: (0.95 if n < 256 else 1.5) * scalar(n), scalar])[0] is None
    assert found([lambda n: (0.25 if n < 256 else 1.5) * scalar(n), scalar])[0] == 0
    # Better everywhere is from 0, as is no slower, with half a percent of noise, below; five percent slower is not.
    assert found([lambda n: 0.5 * scalar(n), scalar, lambda n: 2 * scalar(n)]) == [0, 0, 0]
    assert found([lambda n: (1.005 if n < 64 else 0.5) * scalar(n), scalar]) == [0, 0]
    assert found([lambda n: (1.05 if n < 64 else 0.5) * scalar(n), scalar]) == [64, 0]
    # A kernel that is never used is skipped.
    assert found([lambda n: 1.5 * scalar(n), scalar]) == [None, 0]
    assert found([lambda n: (0.998 if n > 2000 else 1.002) * scalar(n), scalar]) == [None, 0]
    assert found([narrow, lambda n: 1.5 * scalar(n), scalar]) == [144, None, 0]
    # Outliers do not matter, nor where the lengths are dense.
    outliers = {64: 0.3, 1024: 20.0, 4096: 2.0}
    assert found([lambda n: wide(n) * outliers.get(n, 1), scalar]) == [240, 0]

    def lossy(n):
        return scalar(n) * (1.2 if n < 100 else 0.9 if n < 1000 else 1.05 if n < 3000 else 0.8)

    assert (
        found([lossy, scalar])[0]
        == found([lossy, scalar], [*range(0, 1000, 16), *range(1000, 3000), *range(3000, 4097, 16)])[0]
        == 112
    )
    assert crossovers.crossovers({}) == [] and found([scalar], [0]) == [0] and found([scalar, wide], [0]) == [0, 0]
    serving = [crossovers.serving([640, None, 112, 0, 48], n) for n in (0, 48, 111, 112, 639, 640, 9999)]
    assert serving == [3, 3, 3, 2, 2, 0, 0] and crossovers.serving([None, 16], 15) is None


@suite("check quick")
def test_crossovers_lengths():
    assert crossovers.coarse(16, 60) == [0, 16, 32, 48, 60] and crossovers.coarse(100, 16) == [0, 16]
    lengths = crossovers.coarse(16, 65536)
    assert lengths[63:67] == [1008, 1024, 1152, 1296] and lengths[-1] == 65536 and len(lengths) < 110
    assert crossovers.around(lengths, [None, 0]) == []
    assert crossovers.around(lengths, [112, 0]) == [*range(97, 112), *range(113, 128)]
    far = crossovers.around(lengths, [next(n for n in lengths if n > 8000)])
    assert 20 <= len(far) <= crossovers.MORE + 1 and len({n % 16 for n in far}) == 16
    assert max(crossovers.around(lengths, [65536])) < 65536


LIST = """\
HORNET_KERNEL_TUNED(wide, zen5, CPU_zen5, 321, 1)   /* 2026-11-22 */
HORNET_KERNEL(wide, CPU_ANY, 737, 1)
HORNET_KERNEL(narrow, CPU_zen4, 177, 97) /* 2026-11-21 */
HORNET_KERNEL_ALSO(narrow, CPU_ANY, 209, 97)
HORNET_KERNEL(scalar, CPU_ANY, 0, 0)
"""


@suite("check quick")
def test_crossovers_proposals():
    costs = {n: [wide(n) / narrow(n), 1.0, scalar(n) / narrow(n)] for n in GRID}
    of = crossovers.Table(
        "min_bytes", ["wide", "narrow", "scalar"], [640, 0, 0], 4096, costs, crossovers.crossovers(costs)
    )
    assert of.found == [800, 144, 0] and of.change() < 1
    # A kernel whose time differs where it serves now, of which the library's own time is the measure.
    assert [name for name, _, _ in of.differences()] == ["wide"]
    batch = crossovers.Table("min_batch_bytes", ["narrow", "alone"], [97, None], 4096, costs, [None, 0])
    tables = {"poly1305": [of, batch]}
    proposed = crossovers.proposals(tables)["poly1305"]
    assert proposed["narrow"] == {"min_bytes": 144, "min_batch_bytes": None}
    assert crossovers.changes(tables) == {"poly1305": {"wide", "narrow"}}
    assert "narrow       144 (now 0)" in crossovers.text(tables) and "never (up to 4096) (now 97)" in crossovers.text(
        tables
    )
    # What lies beyond the measured lengths stays.
    of.found[0], of.now[0] = None, 8192
    assert crossovers.proposals(tables)["poly1305"]["wide"]["min_bytes"] == 8192

    for family, expected in (
        ("zen5", ["HORNET_KERNEL_TUNED(wide, zen5, CPU_zen5, 800, 1) /* today */", *LIST.splitlines()[1:]]),
        (
            "zen4",
            [
                "HORNET_KERNEL(wide, CPU_zen4, 800, 1) /* today */",
                LIST.splitlines()[0],
                LIST.splitlines()[1].replace("HORNET_KERNEL(", "HORNET_KERNEL_ALSO("),
                *LIST.splitlines()[2:],
            ],
        ),
    ):
        changed = crossovers.applied(LIST, family, {"wide": {"min_bytes": 800, "min_batch_bytes": 1}}, "today")
        assert changed.splitlines() == expected
    # min_aead_bytes stays in its entry, and does not come into another.
    with_aead = LIST.replace("CPU_zen5, 321, 1", "CPU_zen5, 321, 1, 700")
    proposed = {"wide": {"min_bytes": 800, "min_batch_bytes": 1}}
    assert "CPU_zen5, 800, 1, 700)" in crossovers.applied(with_aead, "zen5", proposed, "t")
    assert "CPU_zen4, 800, 1)" in crossovers.applied(with_aead, "zen4", proposed, "t")
    changed = crossovers.applied(LIST, "zen4", {"narrow": {"min_bytes": 144, "min_batch_bytes": None}}, "today")
    assert changed.splitlines()[2] == "HORNET_KERNEL(narrow, CPU_zen4, 144, HORNET_NEVER) /* today */"
    assert len(changed.splitlines()) == 5


@suite("check quick")
def test_crossovers_kernels():
    """The kernels and the family are those of the library; proposals can be written into its lists, which compile."""
    file = made_library() / "libhornet.so"
    for primitive, path in crossovers.LISTS.items():
        names = [kernel.name for kernel in crossovers.kernels(file, primitive)]
        text = (ROOT / path).read_text()
        assert names and all(f"({name}," in text for name in names)
        for family in ("zen4", "zen5", "golden_cove"):
            new = crossovers.applied(
                text, family, {name: {"min_bytes": 1000 + i, "min_batch_bytes": 7} for i, name in enumerate(names)}, "t"
            )
            assert sum("/* t */" in line for line in new.splitlines()) == len(names)
    assert crossovers.family(file) in (ROOT / "src/core/cpu/x86.def").read_text() + "ANY"


@suite("check quick")
def test_intervals():
    above, around = numpy.arange(1.0, 10.0), numpy.arange(-4.0, 5.0)
    rows = intervals.medians(numpy.array([above, -above, around]))
    assert [one.verdict for one in rows] == [intervals.FASTER, intervals.SLOWER, intervals.NO_DIFFERENCE]
    # An interval of 95 % leaves out the least and the most of nine samples.
    assert (rows[0].middle, rows[0].low, rows[0].high) == (5, 2, 8)
    assert intervals.shares(rows) == pytest.approx({"faster": 100 / 3, "no difference": 100 / 3, "slower": 100 / 3})
    # The bootstrap itself, of samples in any order, agrees.
    drawn = numpy.random.default_rng(1).normal(size=9)
    draws = numpy.random.default_rng(2).integers(9, size=(20000, 9))
    low, high = numpy.quantile(numpy.median(drawn[draws], axis=1), [0.025, 0.975], method="inverted_cdf")
    assert (intervals.medians(drawn[None])[0].low, intervals.medians(drawn[None])[0].high) == (low, high)
    # About 5 % of the intervals of noise exclude 0; that of a mean over lengths is narrower.
    noise = numpy.random.default_rng(3).normal(size=(4000, 9))
    assert 2 < 100 - intervals.shares(intervals.medians(noise))[intervals.NO_DIFFERENCE] < 6
    mean = intervals.mean_of_medians(noise)
    assert mean.verdict == intervals.NO_DIFFERENCE and mean.high - mean.low < 0.2
    # Processes that are fast as a whole widen it: a draw takes the same ones at all lengths.
    apart = intervals.mean_of_medians(noise + numpy.arange(-4.0, 5.0))
    assert apart.high - apart.low > 2
    few = intervals.medians(numpy.ones((1, 4)))[0]
    assert few.verdict == intervals.NO_DIFFERENCE and few.low == -math.inf
