# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The command hornet-cluster: tags and checks objects and trees on a Dask cluster."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import logging
import os
import resource
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from distributed import Client
    from tqdm import tqdm

    from hornet_poly1305.dask import Manifest


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hornet-cluster",
        description="Tag and check objects and trees on a Dask cluster. The manifests are the same as those of hornet tag.",
        epilog="Exit status: 0 if every object was tagged or is OK, 1 if one differs, 2 for wrong usage or if something"
        " cannot be read, 3 if the cluster failed.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("-k", "--key", required=True, metavar="KEYFILE", help="the key file, made by hornet keygen")
    cluster = argparse.ArgumentParser(add_help=False)
    where = cluster.add_mutually_exclusive_group()
    where.add_argument("--scheduler", metavar="ADDRESS", help="the scheduler of the cluster, such as tls://host:8786")
    where.add_argument(
        "--scheduler-file", metavar="FILE", help="the file that dask scheduler --scheduler-file has written"
    )
    where.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="without a scheduler: run N worker processes on this machine; default: one per CPU",
    )
    cluster.add_argument(
        "--dashboard",
        metavar="[HOST:]PORT",
        help="without a scheduler: serve Dask's dashboard, which asks for no password, there; HOST is 127.0.0.1 by default",
    )
    for name, what in (
        ("ca-file", "the authority that signs the cluster's certificates"),
        ("cert", "the certificate of this client"),
        ("key", "the key of that certificate"),
    ):
        cluster.add_argument(f"--tls-{name}", metavar="FILE", help=f"{what}; default: Dask's configuration")
    cluster.add_argument(
        "--part", metavar="SIZE", help="the size of the parts of large objects; default: 64MiB, for local files 256MiB"
    )
    cluster.add_argument(
        "--secret-file",
        metavar="FILE",
        help="the path on workers of the file that hornet-cluster secret wrote; r is not sent",
    )
    cluster.add_argument(
        "--insecure-send-r-in-plaintext",
        action="store_true",
        help="send r, half of the key, over tcp:// to other hosts: whoever sees it can forge tags",
    )
    cluster.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=JSON",
        help="an option of the store, for fsspec; may be repeated",
    )
    cluster.add_argument(
        "--json", action="store_true", help="print JSON: a summary, and with check before it an object for each file"
    )
    cluster.add_argument(
        "-q", "--quiet", action="store_true", help="show no progress, and with check only what is not OK"
    )

    tag = commands.add_parser("tag", parents=[common, cluster], help="tag objects and write a manifest")
    tag.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="MANIFEST",
        help="the manifest to write; it appears when it is complete and on disk",
    )
    tag.add_argument(
        "--parts",
        metavar="FILE",
        help="also write the values of all segments, sealed, to this file, which belongs to MANIFEST: for retag and --range",
    )
    tag.add_argument("--segment", metavar="SIZE", help="with --parts: the length of a segment; default: 1MiB")
    tag.add_argument("--force", action="store_true", help="replace MANIFEST, and with --parts FILE, if they exist")
    tag.add_argument(
        "--checkpoint", metavar="FILE", help="a file from which the same command continues if it ended early"
    )
    tag.add_argument(
        "urls", nargs="+", metavar="URL", help="local paths, s3://bucket/prefix, or any other URL that fsspec knows"
    )
    check = commands.add_parser("check", parents=[common, cluster], help="check the objects of a manifest")
    check.add_argument(
        "--base", metavar="URL", help="the bucket or folder that the paths of MANIFEST are in; default: this folder"
    )
    check.add_argument(
        "--strict", action="store_true", help="also report, as EXTRA, objects that MANIFEST does not list"
    )
    check.add_argument("--parts", metavar="FILE", help="the parts of MANIFEST, for --range")
    check.add_argument(
        "--range",
        action="append",
        metavar="OFFSET:LENGTH:PATH",
        help="check this range of PATH, a path of MANIFEST, alone, in bytes or as 64MiB, by reading the segments that it"
        " touches; may be repeated, in order",
    )
    check.add_argument("manifest", metavar="MANIFEST", help="the manifest, made by hornet-cluster tag or hornet tag")
    retag = commands.add_parser(
        "retag",
        parents=[common, cluster],
        help="tag anew what has another version than in the parts, such as another ETag",
        description="Read what has another version in the store than in the parts, or is new, and replace MANIFEST and its"
        " parts. All else keeps its tag, on the store's word.",
    )
    retag.add_argument("--parts", required=True, metavar="FILE", help="the parts of MANIFEST, made by tag --parts")
    retag.add_argument(
        "--base", metavar="URL", help="the bucket or folder that the paths of MANIFEST are in; default: this folder"
    )
    retag.add_argument(
        "--range",
        action="append",
        metavar="OFFSET:LENGTH:PATH",
        help="only this range of PATH, a path of MANIFEST, has changed, in bytes or as 64MiB, and nothing else; may be"
        " repeated, in order",
    )
    retag.add_argument("manifest", metavar="MANIFEST", help="the manifest")
    secret = commands.add_parser(
        "secret", parents=[common], help="write r, the half of the key that workers need, to a file"
    )
    secret.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="the file to write, which must not exist; its mode is 0600",
    )
    return parser


class _Usage(Exception):
    """Wrong usage, which argparse does not see."""


def _options(texts: list[str]) -> dict[str, Any]:
    options = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            options[name] = json.loads(value)
        except ValueError:
            equals = ""
        if not equals:
            # The value may be a credential.
            raise _Usage(f"--option {name}: not a name, = and JSON")
    return options


@contextlib.contextmanager
def _client(args: argparse.Namespace) -> Iterator[Client]:
    from distributed import Client, Security

    from hornet_poly1305.dask import ClusterError
    from hornet_poly1305.dask._local import local_client

    if args.scheduler is None and args.scheduler_file is None:
        with local_client(args.workers, args.dashboard) as client:
            if args.dashboard is not None:
                _complain(f"dashboard: {client.dashboard_link}")
            yield client
        return
    tls = {name: value for name in ("ca_file", "cert", "key") if (value := getattr(args, f"tls_{name}")) is not None}
    names = {"ca_file": "tls_ca_file", "cert": "tls_client_cert", "key": "tls_client_key"}
    security = Security(**{names[name]: value for name, value in tls.items()}) if tls else None
    try:
        client = Client(args.scheduler, scheduler_file=args.scheduler_file, security=security)
    except Exception as error:  # of addresses, files, certificates and connections
        raise ClusterError(f"{args.scheduler or args.scheduler_file}: no connection: {error}") from None
    with client:
        yield client


def _bar(args: argparse.Namespace) -> tqdm[NoReturn]:
    from tqdm import tqdm

    hidden = args.quiet or args.json or not sys.stderr.isatty()
    return tqdm(unit="B", unit_scale=True, unit_divisor=1024, disable=hidden, file=sys.stderr)


def _print_json(value: dict[str, Any]) -> None:
    print(json.dumps({name: each for name, each in value.items() if each is not None}, separators=(",", ":")))


def _shown(text: object) -> str:
    """Return a text as a terminal may have it: what names and stores are quoted in is escaped already, all else here."""
    from hornet_poly1305._native import escaped

    text = str(text)
    return text if text.isprintable() else escaped(text.encode(errors="surrogateescape"))


def _complain(text: object) -> None:
    print(f"hornet-cluster: {_shown(text)}", file=sys.stderr)


def _tag(args: argparse.Namespace, cluster: dict[str, Any]) -> int:
    from hornet_poly1305.dask import tag
    from hornet_poly1305.dask._manifest import SEGMENT_BYTES

    if args.segment is not None and args.parts is None:
        raise _Usage("--segment: only with --parts")
    with _bar(args) as bar:
        made = tag(
            args.urls,
            args.key,
            lambda: _client(args),
            output=args.output,
            parts=args.parts,
            segment=args.segment or SEGMENT_BYTES,
            force=args.force,
            checkpoint=args.checkpoint,
            progress=bar,
            **cluster,
        )
    return _made(args, args.output, made)


def _made(args: argparse.Namespace, path: str, made: Manifest) -> int:
    """Report on a manifest that was made, and return the exit status."""
    from hornet_poly1305._native import escaped

    for name, reason in sorted(made.failed.items()):
        _complain(f"{escaped(name)}: {reason}")
    if args.json:
        failed = [{"path": escaped(name), "reason": reason} for name, reason in sorted(made.failed.items())]
        _print_json({"manifest": path, **dataclasses.asdict(made.summary), "unread": failed})
    elif not args.quiet:
        _complain(_summary(dataclasses.asdict(made.summary)))
    return 2 if made.failed else 0


def _ranges(texts: list[str] | None) -> dict[bytes, list[tuple[int, int]]] | None:
    """Return the ranges of each path, or None if there are none."""
    from hornet_poly1305.dask._manifest import number_of_bytes

    ranges: dict[bytes, list[tuple[int, int]]] = {}
    for text in texts or ():
        offset, _, rest = text.partition(":")
        length, _, path = rest.partition(":")
        try:
            of_path = number_of_bytes(offset), number_of_bytes(length)
        except ValueError:
            path = ""
        if not path:
            raise _Usage(f"--range {text}: not OFFSET:LENGTH:PATH, with numbers of bytes such as 64MiB")
        ranges.setdefault(os.fsencode(path), []).append(of_path)
    return ranges or None


def _retag(args: argparse.Namespace, cluster: dict[str, Any]) -> int:
    from hornet_poly1305 import InvalidSignature
    from hornet_poly1305.dask import retag

    ranges = _ranges(args.range)
    manifest = _opened(args, cluster)
    if manifest is None:
        return 1
    with _bar(args) as bar:
        try:
            made = retag(
                manifest, None, lambda: _client(args), parts=args.parts, ranges=ranges, progress=bar, **cluster
            )
        except InvalidSignature as error:
            if args.json:
                _print_json({"manifest": args.manifest, "status": "CHANGED", "reason": str(error)})
            _complain(f"{error}; no manifest was written")
            return 1
    if not args.quiet and not args.json:
        word = "the ranges given" if ranges else "the store's versions"
        _complain(f"{made.summary.bytes - made.summary.bytes_read} bytes were not read, on the word of {word}")
    return _made(args, args.manifest, made)


def _summary(numbers: dict[str, Any]) -> str:
    return (
        f"{numbers['objects']} objects, {numbers['bytes']} bytes, {numbers['bytes_read']} read,"
        f" {numbers['from_checkpoint']} from the checkpoint; {numbers['tasks']} tasks, {numbers['retries']} retries,"
        f" {numbers['late']} sent twice; {numbers['seconds']:.1f} s"
    )


def _opened(args: argparse.Namespace, cluster: dict[str, Any]) -> Manifest | None:
    """Return the manifest, or None after saying why it is refused. Takes the store's options out of the cluster's."""
    from hornet_poly1305.dask import Manifest
    from hornet_poly1305.dask._stores import split_url

    root = None
    if args.base is not None:
        base, argument = split_url(args.base)
        root = f"file://{os.path.abspath(argument)}" if base.startswith("file:") else base
        if not base.startswith("file:") and argument != ".":
            raise _Usage(f"--base {args.base}: paths of a manifest are below the bucket: give {base}")
    try:
        manifest = Manifest.open(args.manifest, args.key, root)
    except ValueError as error:
        if args.json:
            _print_json({"manifest": args.manifest, "status": "REFUSED", "reason": str(error)})
        _complain(f"{args.manifest}: {error}")
        return None
    manifest.options = {name: cluster.pop(name) for name in list(cluster) if name not in _CLUSTER}
    return manifest


def _check(args: argparse.Namespace, cluster: dict[str, Any]) -> int:
    from hornet_poly1305._native import escaped
    from hornet_poly1305.dask import check

    ranges = _ranges(args.range)
    if (ranges is None) != (args.parts is None) or (ranges and args.strict):
        raise _Usage("--range and --parts: only together, and without --strict")
    manifest = _opened(args, cluster)
    if manifest is None:
        return 1
    cluster |= {"parts": args.parts, "ranges": ranges}
    with _bar(args) as bar:
        report = check(manifest, args.key, lambda: _client(args), strict=args.strict, progress=bar, **cluster)
    for entry in report.entries:
        if args.quiet and entry.status == "OK":
            continue
        if args.json:
            _print_json({"path": escaped(entry.path), "status": entry.status, "reason": entry.reason})
        else:
            print(_shown(entry))
    counts = report.counts()
    if args.json:
        _print_json(
            {
                "summary": counts,
                "hole_bytes": report.summary.hole_bytes,
                "counter": report.counter,
                "sealed": report.sealed,
            }
        )
    if counts["unreadable"]:
        return 2
    return 0 if report.is_ok else 1


# What all commands pass on; other options are the store's.
_CLUSTER = ("part", "secret_file", "allow_plaintext")


def _secret(args: argparse.Namespace) -> int:
    from hornet_poly1305 import KeyFile
    from hornet_poly1305.dask._driver import worker_secret
    from hornet_poly1305.dask._worker import write_secret_file

    write_secret_file(args.output, worker_secret(KeyFile(args.key)))
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command, and return its exit status."""
    args = _parser().parse_args(arguments)
    # A core dump would contain k.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        from hornet_poly1305.dask import ClusterError
        from hornet_poly1305.dask._local import dashboard_address
    except ImportError as error:
        _complain(f"{error}: install hornet-poly1305[dask]")
        return 2
    # Dask reports at length what is said here in a line.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        if getattr(args, "workers", None) is not None and args.workers < 1:
            raise _Usage(f"--workers {args.workers}: at least 1")
        if getattr(args, "dashboard", None) is not None:
            if args.scheduler is not None or args.scheduler_file is not None:
                raise _Usage("--dashboard: only of a cluster that is started here, without a scheduler")
            dashboard_address(args.dashboard)
        if args.command == "secret":
            return _secret(args)
        cluster = {
            "part": args.part,
            "secret_file": args.secret_file,
            "allow_plaintext": args.insecure_send_r_in_plaintext,
            **_options(args.option),
        }
        run = {"tag": _tag, "retag": _retag, "check": _check}[args.command]
        return run(args, cluster)
    except ClusterError as error:
        _complain(f"{error}; no manifest was written")
        return 3
    except (_Usage, OSError, ValueError) as error:
        _complain(error)
        return 2
    except Exception as error:
        # Not 1, which says that an object differs.
        _complain(f"{type(error).__name__}: {error}")
        return 2
    except KeyboardInterrupt:
        _complain("interrupted; no manifest was written")
        return 130


if __name__ == "__main__":
    sys.exit(main())
