# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The peers, and how each is built as a shared object: build/bench/peers/NAME.so. One that cannot be built is left out."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tomllib

from tools.measure import compare, crossovers
from tools.measure.samples import ROOT

BENCH = Path(__file__).resolve().parent
BUILD = ROOT / "build/bench"
CRATES = BENCH / "crates"
# A wrapper calls its library directly, as in a statically linked program, and not through the PLT.
FLAGS = [
    *"-O2 -fPIC -fvisibility=hidden -shared -fno-plt -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -Wl,--no-undefined".split(),
    f"-I{ROOT}/tools/measure",
]
SECTIONS = ("best", "avx2", "avx512f")


class Missing(Exception):
    """Why a peer is left out."""


@dataclass(frozen=True)
class Peer:
    name: str
    source: str  # a file in peers/ without its ending, a feature of crates/, or "go"
    options: str = ""  # of the compiler
    sections: tuple[str, ...] = SECTIONS
    fast: bool = True  # may be the fastest, so that it is measured at every length
    note: str = ""
    groups: tuple[str, ...] = ()  # of these only; "mac" is what needs no AEAD


# Name | source | options | sections | fast or slow | of which groups only | note.
TABLE = """
OpenSSL             | openssl    |                | all     | fast |     | Poly1305_Init, _Update, _Final, internal; ChaCha20-Poly1305 through EVP
OpenSSL EVP         | openssl    | -DEVP          | all     | slow | mac | EVP_MAC: one context for all messages
OpenSSL EVP default | openssl    |                | all     | fast | evp | EVP: one context for all packets, which keeps the key
AWS-LC              | aws_lc     |                | all     | fast |     | EVP_AEAD_CTX_seal_scatter and _open_gather
libsodium           | libsodium  |                | all     | fast |     |
ipsec-mb            | ipsec_mb   | fma_avx512     | best    | fast |     | poly1305_mac_fma_avx512, internal; IMB_CHACHA20_POLY1305_INIT, _ENC_UPDATE, _ENC_FINALIZE
ipsec-mb AVX-512    | ipsec_mb   | plain_avx512   | avx512f | fast |     | poly1305_mac_plain_avx512, internal: for a CPU with AVX-512 but no IFMA
ipsec-mb scalar     | ipsec_mb   | scalar         | all     | fast |     | poly1305_mac_scalar, internal: for a CPU without AVX-512
ipsec-mb AVX2       | ipsec_mb   | avx2           | avx2    | fast |     | as ipsec-mb, its manager set up by init_mb_mgr_avx2
ipsec-mb job        | ipsec_mb   | job            | best    | fast |     | a job for each message, flushed if it is not done at once
ipsec-mb job AVX2   | ipsec_mb   | job_avx2       | avx2    | fast |     | as ipsec-mb job, its manager set up by init_mb_mgr_avx2
wolfSSL             | wolfssl    |                | best    | fast |     | wc_Poly1305SetKey, _Update, _Final; what its TLS calls for each record
wolfSSL AVX2        | wolfssl    | -DNO_AVX512    | avx2    | fast |     | told that the CPU has no AVX-512
wolfSSL AVX-512     | wolfssl    | -DNO_IFMA      | avx512f | fast |     | told that the CPU has no AVX-512 IFMA
Libgcrypt           | libgcrypt  |                | best    | fast |     | one handle for all packets, which keeps the key
Libgcrypt AVX2      | libgcrypt  | -DNO_AVX512    | limited | fast |     | told that the CPU has no AVX-512
Botan               | botan      |                | best    | slow |     | its interface for C++; its AEAD works in place only, so the message is copied first
Botan AVX2          | botan      | -DNO_AVX512    | limited | slow |     | told that the CPU has no AVX-512
Nettle              | nettle     |                | all     | slow |     | internal functions: the public interface has Poly1305 with AES only
ring                | ring       |                | all     | fast |     | works in place only, so the message is copied first
graviola            | graviola   |                | best    | slow |     | the same; compiled for this CPU
RustCrypto          | rustcrypto |                | best    | fast |     | compiled for this CPU, so that it may use AVX-512 anywhere
libcrux             | libcrux    |                | best    | fast |     | compiled for this CPU, so that it may use AVX-512 anywhere
Go x/crypto         | go         |                | all     | fast |     | timed by a loop in Go
hornet gcc              | hornet   | | all  | fast |      |
hornet clang            | hornet   | | all  | fast |      |
hornet gcc EVP provider | provider | | all  | fast | evp  | the same library behind EVP
hornet clang EVP provider | provider | | all | fast | evp | the same library behind EVP
hornet gcc edits        | edits    | | best | fast | edit |
hornet clang edits      | edits    | | best | fast | edit |
"""
BY_NAME = {"all": SECTIONS, "limited": ("avx2", "avx512f")} | {name: (name,) for name in SECTIONS}
# For ipsec-mb: the function for Poly1305, what the CPU must have, and what sets up the manager.
SKX, IFMA = "IMB_FEATURE_AVX512_SKX", "(IMB_FEATURE_AVX512_SKX|IMB_FEATURE_AVX512_IFMA)"
AUTO, UP_TO_AVX2 = "init_mb_mgr_auto(manager,NULL)", "init_mb_mgr_avx2(manager)"
IPSEC_MB = {
    "fma_avx512": f"-DMAC_FUNCTION=poly1305_mac_fma_avx512 -DFEATURES={IFMA} -DMANAGER={AUTO}",
    "plain_avx512": f"-DMAC_FUNCTION=poly1305_mac_plain_avx512 -DMAC_ONLY -DFEATURES={SKX} -DMANAGER={AUTO}",
    "scalar": f"-DMAC_FUNCTION=poly1305_mac_scalar -DMAC_ONLY -DFEATURES=0 -DMANAGER={AUTO}",
    "avx2": f"-DFEATURES=0 -DMANAGER={UP_TO_AVX2}",
    "job": f"-DJOB -DFEATURES=0 -DMANAGER={AUTO}",
    "job_avx2": f"-DJOB -DFEATURES=0 -DMANAGER={UP_TO_AVX2}",
}


def peer_of(line: str) -> Peer:
    name, source, options, sections, speed, groups, note = (word.strip() for word in line.split("|"))
    options = IPSEC_MB.get(options, options)
    return Peer(name, source, options, BY_NAME[sections], speed == "fast", note, (groups,) if groups else ())


EVERY = tuple(map(peer_of, TABLE.strip().splitlines()))
HORNETS = tuple(peer for peer in EVERY if peer.name.startswith("hornet "))
PEERS = tuple(peer for peer in EVERY if peer not in HORNETS)


# Where sources come from, and how libraries are built: each function returns what its wrapper is compiled with.


def execute(command: list, folder: Path, **env: str) -> None:
    """Run a command, whose output is shown only if it fails."""
    try:
        done = subprocess.run(
            list(map(str, command)), cwd=folder, env=os.environ | env, capture_output=True, text=True, check=False
        )
    except FileNotFoundError as why:
        raise Missing(f"there is no {why.filename}") from why
    if done.returncode != 0:
        lines = (done.stderr + done.stdout).splitlines() or [""]
        error = next((line for line in lines if re.search(r"error: |cannot find ", line)), lines[-1])
        raise Missing(re.sub(r".*?(error: |cannot find )", r"\1", error))  # without the paths of this machine


@cache
def locked() -> dict[str, str]:
    """Return the versions in Cargo.lock."""
    packages = tomllib.loads((CRATES / "Cargo.lock").read_text())["package"]
    return {package["name"]: package["version"] for package in packages}


@cache
def crate(name: str) -> Path:
    """Return the folder of a crate, which Cargo downloads if it is not there."""
    execute(["cargo", "fetch", "--locked", "--quiet", "--manifest-path", CRATES / "Cargo.toml"], BENCH)
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    found = sorted(home.glob(f"registry/src/*/{name}-{locked()[name]}"))
    if not found:
        raise Missing(f"there is no {name}")
    return found[0]


JOBS = f"-j{os.cpu_count()}"


def once(name: str, build: Callable[[Path], None]) -> Path:
    """Build a library in a folder of its own, unless that was done before."""
    folder = BUILD / name
    if not (folder / "done").exists():
        print(f"building {name}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        build(folder)
        (folder / "done").touch()
    return folder


def unpacked(archive: Path, folder: Path) -> Path:
    folder.mkdir()
    execute(["tar", "-x", "--strip-components=1", "-f", archive], folder)
    return folder


def openssl() -> list[str]:
    sources = crate("openssl-src") / "openssl"
    without = [f"no-{what}" for what in "shared module tests apps docs comp legacy ssl3 engine".split()]

    def build(folder: Path) -> None:
        execute(["perl", sources / "Configure", *without], folder)
        execute(["make", JOBS, "build_generated"], folder)
        execute(["make", JOBS, "libcrypto.a"], folder)

    folder = once(f"openssl-{locked()['openssl-src']}", build)
    return [f"-I{folder}/include", f"-I{sources}/include", f"{folder}/libcrypto.a", "-pthread", "-ldl"]


def aws_lc() -> list[str]:
    sources = crate("aws-lc-sys")
    off = ("BUILD_TESTING", "BUILD_TOOL", "BUILD_LIBSSL", "BUILD_SHARED_LIBS", "ENABLE_SOURCE_MODIFICATION")
    on = ("DISABLE_PERL", "DISABLE_GO", "CMAKE_POSITION_INDEPENDENT_CODE")
    settings = [f"-D{name}={value}" for value, names in (("OFF", off), ("ON", on)) for name in names]

    def build(folder: Path) -> None:
        execute(["cmake", "-S", sources, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *settings], folder)
        execute(["cmake", "--build", folder, "--target", "crypto", JOBS], folder)

    folder = once(f"aws-lc-{locked()['aws-lc-sys']}", build)
    (archive,) = folder.glob("**/libcrypto.a")
    return [f"-I{sources}/aws-lc/include", str(archive), "-pthread"]


def libsodium() -> list[str]:
    def build(folder: Path) -> None:
        sources = unpacked(crate("libsodium-sys-stable") / "LATEST.tar.gz", folder / "sources")
        execute(["./configure", f"--prefix={folder}", "--disable-shared", "--with-pic"], sources)
        execute(["make", JOBS, "-C", "src/libsodium", "install"], sources)

    folder = once(f"libsodium-{locked()['libsodium-sys-stable']}", build)
    return [f"-I{folder}/include", f"{folder}/lib/libsodium.a", "-pthread"]


def botan() -> list[str]:
    """Build only the modules that are measured, with all implementations for x86: 37 of 628 files."""
    modules = "chacha20poly1305,chacha_simd32,chacha_avx2,chacha_avx512,poly1305_avx2,poly1305_avx512"
    configure = ["--build-targets=static", "--cc=gcc", "--minimized-build", "--without-documentation"]

    def build(folder: Path) -> None:
        (archive,) = (crate("botan-src") / "vendor").iterdir()
        sources = unpacked(archive, folder / "sources")
        execute([sys.executable, "configure.py", *configure, f"--enable-modules={modules}"], sources)
        execute(["make", JOBS, "libs"], sources)

    sources = once(f"botan-{locked()['botan-src']}", build) / "sources"
    include = f"{sources}/build/include"
    return ["-std=c++20", f"-I{include}/public", f"-I{include}/internal", f"{sources}/libbotan-3.a", "-pthread"]


def wolfssl() -> list[str]:
    """Compile all that its ChaCha20-Poly1305 calls, with the definitions of `./configure --enable-intelasm`."""
    sources = crate("wolfssl-sys") / "wolfssl-src"
    files = "chacha.c chacha20_poly1305.c chacha_asm.S cpuid.c memory.c poly1305.c poly1305_asm.S wc_port.c".split()
    flags = (
        "-fwrapv -DHAVE_C___ATOMIC=1 -DHAVE_THREAD_LS -DNDEBUG -DWOLFSSL_X86_64_BUILD -DUSE_INTEL_SPEEDUP "
        "-DWOLFSSL_USE_ALIGN -DHAVE_POLY1305 -DHAVE_CHACHA -DWOLFCRYPT_ONLY -DHAVE___UINT128_T=1 -DWC_NO_RNG"
    )
    settings = [*flags.split(), f"-I{sources}"]

    def build(folder: Path) -> None:
        execute(["gcc", "-O2", "-fPIC", *settings, "-c", *(sources / "wolfcrypt/src" / file for file in files)], folder)
        execute(["ar", "rc", "libwolfssl.a", *sorted(folder.glob("*.o"))], folder)

    folder = once(f"wolfssl-{locked()['wolfssl-sys']}", build)
    return [*settings, f"{folder}/libwolfssl.a"]


def libgcrypt() -> list[str]:
    """Build Debian 13's, which install.sh fetches, without most algorithms; else take the installed one."""
    archives = [BUILD / "debian" / f"{name}.orig.tar.bz2" for name in ("libgpg-error_1.51", "libgcrypt20_1.11.0")]
    if not all(archive.exists() for archive in archives):
        return ["-lgcrypt"]
    common = ["--disable-shared", "--with-pic", "--disable-doc"]
    algorithms = ["--enable-ciphers=chacha20 aes", "--enable-digests=sha1 sha256 sha512 sha3 blake2"]

    def build(folder: Path) -> None:
        errors, sources = (unpacked(archive, folder / archive.name.split("_")[0]) for archive in archives)
        few = ["--disable-nls", "--disable-languages", "--disable-tests", "--enable-install-gpg-error-config"]
        execute(["./configure", f"--prefix={folder}", *common, *few], errors)
        execute(["make", JOBS, "install"], errors)
        found = [f"--with-libgpg-error-prefix={folder}", f"GPGRT_CONFIG={folder}/bin/gpgrt-config"]
        execute(["./configure", *common, *algorithms, "--enable-pubkey-ciphers=ecc", *found], sources)
        for part in ("compat", "mpi", "cipher", "random"):
            execute(["make", JOBS, "-C", part], sources)
        execute(["make", JOBS, "-C", "src", "libgcrypt.la"], sources)

    folder = once("libgcrypt-1.11.0", build)
    sources = folder / "libgcrypt20/src"
    return [f"-I{sources}", f"-I{folder}/include", f"{sources}/.libs/libgcrypt.a", f"{folder}/lib/libgpg-error.a"]


LIBRARIES = {
    "openssl": openssl,
    "aws_lc": aws_lc,
    "libsodium": libsodium,
    "botan": botan,
    "wolfssl": wolfssl,
    "libgcrypt": libgcrypt,
    "ipsec_mb": lambda: ["-l:libIPSec_MB.a"],
    "nettle": lambda: ["-l:libnettle.a"],
}


def is_rust(peer: Peer) -> bool:
    return peer.source not in ("hornet", "go", "provider", "edits", *LIBRARIES)


def built(peer: Peer) -> Path:
    """Build a peer, and return its file. Raises Missing if that is not possible."""
    target = BUILD / "peers" / f"{peer.name.replace(' ', '-').replace('/', '-')}.so"
    target.parent.mkdir(parents=True, exist_ok=True)
    words = peer.name.split()
    if peer.source == "hornet":
        return hornet(words[1])
    if peer.source == "go":
        execute(["go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-o", target], BENCH / "go")
        return target
    if peer.source in ("provider", "edits"):
        return beside_hornet(peer, words[1], target)
    if is_rust(peer):
        command = ["cargo", "build", "--release", "--locked", "--quiet", "--features", peer.source]
        execute([*command, "--target-dir", BUILD / "target"], CRATES)
        shutil.copy(BUILD / "target/release/libhornet_bench_peers.so", target)
        return target
    wrapper = next((BENCH / "peers").glob(f"{peer.source}.c*"))
    command = ["g++" if wrapper.suffix == ".cc" else "gcc", *FLAGS, *peer.options.split(), "-o", target, wrapper]
    execute([*command, *LIBRARIES[peer.source]()], BENCH)
    return target


def kernel_pairs(file: Path) -> list[tuple[str, str]]:
    """Return the pairs of kernels of Poly1305 and of ChaCha20 that run here."""
    of = {primitive: [one.name for one in crossovers.kernels(file, primitive)] for primitive in crossovers.LISTS}
    return [(poly1305, chacha20) for poly1305 in of["poly1305"] for chacha20 in of["chacha20"]]


def hornet(compiler: str) -> Path:
    """Build this tree, with all kernels."""
    try:
        return compare.library(ROOT, compare.COMPILERS[compiler], "all", "HORNET_KERNELS=all")
    except compare.Failed as why:
        raise Missing(str(why)) from why


def beside_hornet(peer: Peer, compiler: str, target: Path) -> Path:
    """Build what is linked with this tree's library: the provider with OpenSSL's EVP, or edits of a long message."""
    archive = hornet(compiler).with_suffix(".a")
    program = compare.COMPILERS[compiler]
    exported = [flag for flag in FLAGS if "exclude-libs" not in flag] + ["-Wl,-u,hornet_kernel_force"]
    include = f"-I{ROOT}/include"
    if peer.source == "edits":
        execute([program, *exported, include, "-o", target, BENCH / "peers/edits.c", archive], BENCH)
        return target
    needs = openssl()
    sources = sorted((ROOT / "bindings/openssl/src").glob("*.c"))
    command = [program, *exported, "-DPROVIDER", include, "-o", target, BENCH / "peers/openssl.c", *sources]
    execute([*command, archive, *needs], BENCH)
    return target


def build_all(chosen: list[Peer]) -> tuple[dict[Peer, Path], dict[str, str]]:
    """Build these peers, and return their files, and the names of those that are left out with the reasons."""
    files, missing = {}, {}
    for peer in chosen:
        try:
            files[peer] = built(peer)
        except Missing as why:
            missing[peer.name] = str(why)
            print(f"{peer.name} is left out: {why}", file=sys.stderr, flush=True)
    return files, missing
