# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Installs the library as a C user would, with CMake and with make, and builds programs against the installed files.

The files are moved first. Programs are built with find_package and pkg-config, static and shared, in C and in C++.
Nothing is written outside DESTDIR.
"""

import platform
import re
import shutil

import pytest
from support import ROOT, attempt, output, row, rows, run, suite
from support.products import MESSAGE, TAG, made_library, make, once, version

HERE = ROOT / "tests/integration/install"
HEADERS = [path.name for path in sorted((ROOT / "include").glob("*.h"))]
HEADER = (
    "".join(f"#include <{name}>\n" for name in HEADERS)
    + "int main() { return hornet_kernel_in_use(HORNET_POLY1305) == 0; }\n"
)


def install_by_cmake(folder, shared):
    at_first = folder / "at-first"
    prefix = [f"-DCMAKE_INSTALL_PREFIX={at_first}", "-DCMAKE_INSTALL_LIBDIR=lib"]
    run("cmake", "-S", ROOT, "-B", folder / "build", f"-DBUILD_SHARED_LIBS={shared}", *prefix)
    run("cmake", "--build", folder / "build")
    run("cmake", "--install", folder / "build")
    at_first.rename(folder / "moved")


def install_by_make(folder):
    root = folder / "root"
    make("install-library", f"BUILD={folder / 'build'}", f"DESTDIR={root}", "PREFIX=/opt/hornet")
    outside = [path for path in root.rglob("*") if not path.is_dir() and root / "opt/hornet" not in path.parents]
    assert not outside, "make install writes outside PREFIX"
    (root / "opt/hornet").rename(folder / "moved")


INSTALLED = {
    "cmake-static": lambda folder: install_by_cmake(folder, "OFF"),
    "cmake-shared": lambda folder: install_by_cmake(folder, "ON"),
    "make": install_by_make,
}


def installed(by):
    """Return the prefix of an installation, which has been moved."""
    return once(f"install-{by}", INSTALLED[by]) / "moved"


def flags(prefix, *options):
    return output("pkg-config", *options, "hornet", env={"PKG_CONFIG_LIBDIR": prefix / "lib/pkgconfig"}).split()


@rows(
    "by, target",
    row("install-cmake-static", "cmake-static", "hornet::hornet", suites="slow"),
    row("install-cmake-shared", "cmake-shared", "hornet::hornet"),
    row("install-make-shared", "make", "hornet::hornet"),
    row("install-make-static", "make", "hornet::hornet_static"),
)
def test_install(by, target, folder):
    prefix = installed(by)
    run("cmake", "-S", HERE, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DTARGET={target}")
    run("cmake", "--build", folder)
    assert output(folder / "consumer", stdin=MESSAGE).strip() == TAG

    # The program compares the version in the header with that of the library.
    assert flags(prefix, "--modversion") == [version()]
    environment = {"LD_LIBRARY_PATH": prefix / "lib"}
    run("cc", "-o", folder / "c", HERE / "consumer.c", *flags(prefix, "--cflags", "--libs"))
    assert output(folder / "c", stdin=MESSAGE, env=environment).strip() == TAG
    (folder / "header.cc").write_text(HEADER)
    warnings = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
    run("c++", *warnings, "-o", folder / "cxx", folder / "header.cc", *flags(prefix, "--cflags", "--libs"))
    run(folder / "cxx", env=environment)


@suite("quick")
def test_install_as_built(folder):
    """A program uses the library in the build folder."""
    built = made_library()
    link = ["-Iinclude", f"-L{built}", "-lhornet", f"-Wl,-rpath,{built}"]
    run("cc", "-o", folder / "consumer", HERE / "consumer.c", *link)
    assert output(folder / "consumer", stdin=MESSAGE).strip() == TAG


@suite("quick")
def test_install_pages():
    """Each function that is exported has a man page, and each header; the pages have no errors, and name others that exist."""
    pages = installed("make") / "share/man/man3"
    exported = set(re.findall(r"^ +(hornet_\w+);", (ROOT / "src/library/hornet.map").read_text(), re.M))
    assert len(exported) > 60
    assert {path.name for path in pages.iterdir()} == {f"{name}.3" for name in exported | set(HEADERS)}
    for page in pages.iterdir():
        assert attempt("mandoc", "-T", "lint", "-W", "warning", page)[1] == ""
        for name in re.findall(r"^\.BR (\S+) \(3\)", page.read_text(), re.M):
            assert (pages / f"{name}.3").exists(), f"{page.name} names {name}"
    # Without the backspaces that produce bold text.
    text = re.sub(".\x08", "", output("mandoc", pages / "hornet_poly1305_verify.3"))
    for words in (
        "#include <hornet.h>",
        "bool hornet_poly1305_verify(const uint8_t tag[16], const void *msg,",
        "under key",
    ):
        assert words in text, text


@suite("quick")
def test_install_without_python(outside):
    """Where python3 is missing, all but the man pages is installed, and a line says so."""
    (outside / "bin").mkdir()
    for name in "sh sed install cp dirname chmod".split():
        (outside / "bin" / name).symlink_to(shutil.which(name))
    words = ["tools/install-library.sh", made_library(), version(), outside / "root", "/usr", "/usr/lib"]
    status, text = attempt(*words, env={"PATH": outside / "bin"})
    assert status == 0 and "needs python3" in text, text
    assert (outside / "root/usr/include/hornet.h").exists() and not (outside / "root/usr/share").exists()


@suite("quick")
def test_install_libdir(folder):
    """pkg-config finds what is installed for Debian's multiarch folders."""
    libdir = "usr/lib/x86_64-linux-gnu"
    make("install-library", f"BUILD={folder / 'build'}", f"DESTDIR={folder}", "PREFIX=/usr", f"LIBDIR=/{libdir}")
    found = {"PKG_CONFIG_LIBDIR": folder / libdir / "pkgconfig"}
    assert f"/{libdir}/pkgconfig/../../../lib/x86_64-linux-gnu -lhornet" in output(
        "pkg-config", "--libs", "hornet", env=found
    )


@rows(
    "libdir, includedir",
    row("install-folders-relative", "lib/here", "include/there", suites="slow"),
    row("install-folders-inside", "PREFIX/lib64", "include"),
    row("install-folders-header-inside", "lib", "PREFIX/include", suites="slow"),
    row("install-folders-outside", "OUTSIDE/lib", "OUTSIDE/dev/include"),
)
def test_folders(libdir, includedir, outside, folder):
    """pkg-config and CMake find what CMake installs into any folders, relative to the prefix or absolute."""
    at_first, elsewhere = outside / "at-first", outside / "elsewhere"

    def absolute(name):
        return name.replace("PREFIX", str(at_first)).replace("OUTSIDE", str(elsewhere))

    folders = [f"-DCMAKE_INSTALL_LIBDIR={absolute(libdir)}", f"-DCMAKE_INSTALL_INCLUDEDIR={absolute(includedir)}"]
    options = ["-DHORNET_KERNELS=scalar64", f"-DCMAKE_INSTALL_PREFIX={at_first}", *folders]
    run("cmake", "-S", ROOT, "-B", folder / "library", *options)
    run("cmake", "--build", folder / "library")
    run("cmake", "--install", folder / "library")
    prefix = at_first
    if not any(name in libdir + includedir for name in ("PREFIX", "OUTSIDE")):
        prefix = at_first.rename(outside / "moved")
    installed_to = prefix / absolute(libdir)  # the latter, if it is absolute
    assert {path.name for path in (prefix / absolute(includedir)).glob("*.h")} == set(HEADERS)
    assert (installed_to / "libhornet.a").exists()

    found = f"-DCMAKE_PREFIX_PATH={installed_to / 'cmake/hornet'}"
    run("cmake", "-S", HERE, "-B", folder, found, "-DTARGET=hornet::hornet")
    run("cmake", "--build", folder)
    assert output(folder / "consumer", stdin=MESSAGE).strip() == TAG
    words = output("pkg-config", "--cflags", "--libs", "hornet", env={"PKG_CONFIG_LIBDIR": installed_to / "pkgconfig"})
    run("cc", "-o", folder / "c", HERE / "consumer.c", *words.split())
    assert output(folder / "c", stdin=MESSAGE).strip() == TAG


@rows("by", row("install-hardened-make", "make"), row("install-hardened-cmake", "cmake-shared"))
def test_shared(by):
    """All addresses are resolved when the library is loaded, and their table is then read-only."""
    library = installed(by) / "lib/libhornet.so"
    assert re.search("FLAGS_1.* NOW", output("readelf", "-d", library))
    assert "GNU_RELRO" in output("readelf", "-l", library)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="CET is a feature of x86-64")
@rows("by", row("install-cet-make", "make"), row("install-cet-cmake", "cmake-static"))
def test_static(by):
    """Indirect branches and returns can be checked.

    The linker marks the shared library accordingly if the system's startup code allows it, which Debian's does not.
    """
    library = installed(by) / "lib/libhornet.a"
    objects = output("ar", "t", library).split()
    assert len(re.findall("IBT, SHSTK", output("readelf", "-n", library))) == len(objects) > 0


@suite("quick")
def test_install_ldflags(folder):
    make("library", f"BUILD={folder}", "LDFLAGS=-Wl,--build-id=0x0123456789abcdef")
    assert "0123456789abcdef" in output("readelf", "-n", folder / "libhornet.so")
