# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What fails on a worker, saying all that it knows: a store, and the functions of hornet_poly1305.dask.

Workers import this file. What is secret is not in it: it comes to them as in any run.
"""

import sys

import fsspec
from fsspec.registry import _registry
from hornet_poly1305.dask import _secrets, _stores, _worker

FILES = {"a": b"a" * 100, "b/c": b"", "b/d": b"d" * 70_000}


class StoreError(OSError):
    """As libraries raise them: with the options, in several forms."""

    failures = 0


def store_leak(given=None, *_):
    """Raise it. Without options, with those that have been seen."""
    StoreError.failures += 1
    if not isinstance(given, dict):
        given = {"url": _seen[-2]} | _seen[-1]
    error = StoreError(f"no connection to {given['url']} with {given} {[str(given)]}")
    error.given = given
    raise error


class Sftp(fsspec.AbstractFileSystem):
    """A file system that is called as SFTP's is, so that its URL has a user."""

    protocol = "sftp"
    cachable = False
    fails = None

    def __init__(self, **options):
        super().__init__()
        self.given = options
        self.fail("connect")

    @classmethod
    def _strip_protocol(cls, path):
        return "/" + path.removeprefix("sftp://").partition("/")[2].strip("/")

    @staticmethod
    def _get_kwargs_from_urls(path):
        return {"url": path}

    def fail(self, step):
        if Sftp.fails == step:
            store_leak(self.given)

    def ls(self, path, detail=True, **_):
        below = path.strip("/") + "/" if path.strip("/") else ""
        names = {below + name.removeprefix(below).split("/")[0] for name in FILES if name.startswith(below)}
        return [self.entry(name) for name in sorted(names)]

    def entry(self, name):
        return {"name": f"/{name}", "size": len(FILES.get(name, b"")), "type": "file" if name in FILES else "directory"}

    def info(self, path, **_):
        self.fail("list")
        return self.entry(path.strip("/"))

    def cat_file(self, path, start=None, end=None, **_):
        self.fail("read")
        return FILES[path.strip("/")][start:end]


def register():
    """Let this process use the store above."""
    fsspec.register_implementation("sftp", Sftp, clobber=True)


_seen, _undo = [], []


class Leak(Exception):
    """Says and refers to all secrets that have been seen here."""

    failures = 0

    def __init__(self, *arguments):
        seen = [*_seen, *arguments]
        data = [each for each in seen if isinstance(each, (bytes, bytearray))]
        said = [form for each in data for form in (each.hex(), str(list(each)), int.from_bytes(each, "little"))]
        super().__init__(*seen, *said)
        self.add_note(repr(seen))


class Cancelled(BaseException):
    """The same, as cancellation is raised."""


def leak(*arguments, **_):
    """Raise it, while another is handled."""
    Leak.failures += 1
    try:
        raise ValueError(*_seen, *arguments)
    except ValueError as error:
        if Sftp.fails == "cancel":
            raise Cancelled(*Leak(*arguments).args) from error
        raise Leak(*arguments) from error


class Kept(dict):
    """What is forgotten in vain."""

    def __setitem__(self, run, found):
        if not found.reason:
            return super().__setitem__(run, found)
        return leak(self, run, found)


class Silent:
    """A worker that cannot send an answer."""

    def __init__(self):
        self.worker = _silenced()
        self.address = self.worker.address

    def log_event(self, topic, event):
        leak(event) if "answer" in event else self.worker.log_event(topic, event)


_silenced = _worker.get_worker
# What is replaced in a step, and by what.
REPLACED = {
    "import of a store": (fsspec, "get_filesystem_class", leak),
    "unseal": (_secrets.cloudpickle, "loads", leak),
    "take r": (_secrets, "Evaluation", leak),
    "open": (_worker, "open_store", store_leak),
    "prepare to read": (_stores.Store, "begin_reading", store_leak),
    "compare versions": (_stores.Store, "pin", store_leak),
    "read at all": (_stores.Store, "read", leak),
    "cancel": (_stores.Store, "read", leak),
    "decode": (_worker, "decode", leak),
    "answer": (_worker, "seal_answer", leak),
    "send": (_worker, "get_worker", Silent),
    "read the secret file": (_worker, "read_secret_file", leak),
    "forget": (_worker, "_runs", Kept()),
}


def _replace(owner, name, value):
    old = getattr(owner, name)
    setattr(owner, name, value)
    _undo.append(lambda: setattr(owner, name, old))


def plant(step):
    """Let this step fail here, and no other."""
    while _undo:
        _undo.pop()()
    register()
    Sftp.fails = step
    open_secrets = _secrets.Secrets.open

    def opening(sealed, key, run):
        opened = open_secrets(sealed, key, run)
        secret = bytes(opened._secret)
        _seen[:] = [secret[: _secrets.R_BYTES], secret[_secrets.R_BYTES :], key, opened.root, opened.options]
        return opened

    _replace(_secrets.Secrets, "open", opening)
    _replace(_stores, "_DELAY_SECONDS", 0.001)
    if step == "import of a module":
        fsspec.register_implementation("sftp", "module_that_is_missing.Sftp", clobber=True)
        _registry.pop("sftp", None)
    elif step == "import of hornet_poly1305":
        name = _worker.__name__
        sys.modules[name] = None
        _undo.append(lambda: sys.modules.__setitem__(name, _worker))
    elif step in REPLACED:
        _replace(*REPLACED[step])


def failures():
    """Return how many planted failures there were."""
    return StoreError.failures + Leak.failures


def shout(*secrets):
    """Raise what a careless program would."""
    raise ValueError(secrets, [each.hex() for each in secrets])
