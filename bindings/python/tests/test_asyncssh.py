# SPDX-License-Identifier: Apache-2.0 OR MIT
"""asyncssh with SSHCipher: beside its own cipher, its own tests, and with OpenSSH's client and server over loopback."""

import asyncio
import contextlib
import hashlib
import os
import pwd
import random
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import asyncssh
import hornet_poly1305.asyncssh as adapter
import pytest
from asyncssh import encryption

# install.sh puts both there.
BUILD = Path(__file__).resolve().parents[3] / "build/python"
SSHD = BUILD / "openssh/usr/sbin/sshd"
ALGORITHM = "chacha20-poly1305@openssh.com"
# Started by root, a server would need an account and a folder of its own: it then runs as this user.
SERVER_USER = "daemon" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name


class Counted(adapter._Encryption):
    """It counts keys, and the lengths of texts that were sealed and opened."""

    def __init__(self, key):
        super().__init__(key)
        Counted.keys += 1

    def encrypt_packet(self, seq, header, packet):
        Counted.sealed.add(len(packet))
        return super().encrypt_packet(seq, header, packet)

    def decrypt_packet(self, seq, first, rest, header_len, mac):
        text = super().decrypt_packet(seq, first, rest, header_len, mac)
        if text:
            Counted.opened.add(len(text))
        return text


@pytest.fixture
def installed(monkeypatch):
    Counted.keys, Counted.sealed, Counted.opened = 0, set(), set()
    monkeypatch.setattr(adapter, "_Encryption", Counted)
    adapter.install()
    yield
    adapter.uninstall()


def test_packets_are_those_of_asyncssh():
    source = random.Random(1)
    for length in [1, 2, *range(4, 300, 8), 1400, 32_768, 35_000]:
        key, packet, sequence = source.randbytes(64), source.randbytes(length), source.getrandbits(32)
        ours = adapter._Encryption.new("chacha20-poly1305", key, b"")
        theirs = encryption.ChachaEncryption.new("chacha20-poly1305", key, b"")
        header = length.to_bytes(4, "big")
        sealed = b"".join(ours.encrypt_packet(sequence, header, packet))
        whole, tag = theirs.encrypt_packet(sequence, header, packet)
        assert sealed == whole + tag
        assert ours.decrypt_header(sequence, whole[:8], 4) == theirs.decrypt_header(sequence, whole[:8], 4)
        assert ours.decrypt_packet(sequence, whole[:8], whole[8:], 4, tag) == packet
        wrong = bytearray(whole)
        wrong[source.randrange(length + 4)] ^= 1 << source.randrange(8)
        wrong = bytes(wrong)
        for cipher in (ours, theirs):
            assert cipher.decrypt_packet(sequence, wrong[:8], wrong[8:], 4, tag) is None
            assert cipher.decrypt_packet(sequence ^ 1, whole[:8], whole[8:], 4, tag) is None
            assert cipher.decrypt_packet(sequence, whole[:8], whole[8:], 4, tag[:15] + bytes([tag[15] ^ 1])) is None
            # After a length of less than 4, asyncssh passes so few.
            assert cipher.decrypt_packet(sequence, whole[:8], b"", 4, tag[:4]) is None
    parameters = encryption.get_encryption_params(ALGORITHM.encode())
    adapter.install()
    assert encryption.get_encryption_params(ALGORITHM.encode()) == parameters
    adapter.uninstall()


def test_install():
    def made() -> type:
        return type(encryption.get_encryption(ALGORITHM.encode(), bytes(64), b""))

    assert made() is encryption.ChachaEncryption
    for _ in range(2):
        adapter.install()
        assert made() is adapter._Encryption
    for _ in range(2):
        adapter.uninstall()
        assert made() is encryption.ChachaEncryption


@pytest.mark.parametrize("version", ["2.17.9", "2.25.0", "3.0.0", "1.0"])
def test_unknown_versions_are_refused(version, monkeypatch):
    monkeypatch.setattr(asyncssh, "__version__", version)
    with pytest.raises(RuntimeError, match=rf"was checked with asyncssh 2\.18 to 2\.24, and this is {version}"):
        adapter.install()
    assert adapter._Encryption not in [kind for kind, _ in encryption._enc_params.values()]


def test_an_asyncssh_without_the_algorithm_is_refused(monkeypatch):
    monkeypatch.delitem(encryption._enc_params, ALGORITHM.encode())
    with pytest.raises(RuntimeError, match=f"does not offer {ALGORITHM}"):
        adapter.install()
    adapter.uninstall()
    assert ALGORITHM.encode() not in encryption._enc_params


@contextlib.contextmanager
def server_folder():
    """Yield a folder with OpenSSH's server, a key of it and one of a user, which SERVER_USER can read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(SSHD, folder / "sshd")
        for kind in ("host", "user"):
            key = asyncssh.generate_private_key("ssh-ed25519")
            key.write_private_key(folder / kind)
            (folder / kind).chmod(0o600)
            key.write_public_key(folder / f"{kind}.pub")
        lines = [f"HostKey {folder}/host", f"AuthorizedKeysFile {folder}/user.pub", f"Ciphers {ALGORITHM}"]
        lines += ["StrictModes no", "UsePAM no", "PidFile none", "PasswordAuthentication no", "RekeyLimit 1M"]
        lines += ["KbdInteractiveAuthentication no", "LogLevel VERBOSE"]
        (folder / "config").write_text("\n".join(lines))
        if os.getuid() == 0:
            for path in (folder, *folder.iterdir()):
                shutil.chown(path, SERVER_USER)
        yield folder


@contextlib.asynccontextmanager
async def openssh_server(folder):
    """Yield the port of OpenSSH's server, which serves each connection in a process of its own."""
    loop, servers = asyncio.get_running_loop(), []

    async def serve():
        while True:
            connection, _ = await loop.sock_accept(listener)
            connection.setblocking(True)
            user = {"user": SERVER_USER, "group": pwd.getpwnam(SERVER_USER).pw_gid, "extra_groups": []}
            with connection, (folder / "log").open("a") as log:
                command = [folder / "sshd", "-i", "-e", "-f", folder / "config"]
                options = user if os.getuid() == 0 else {}
                servers.append(subprocess.Popen(command, stdin=connection, stdout=connection, stderr=log, **options))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        task = asyncio.create_task(serve())
        yield listener.getsockname()[1]
        task.cancel()
    for server in servers:
        await asyncio.to_thread(server.wait, 60)


async def copy(reader, writer):
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()


async def echo(reader, writer):
    await copy(reader, writer)
    writer.close()


class Server(asyncssh.SSHServer):
    def begin_auth(self, username):
        return False

    def connection_lost(self, exc):
        Server.lost = exc


class Client(asyncssh.SSHClient):
    def connection_lost(self, exc):
        Client.lost = exc


@contextlib.asynccontextmanager
async def asyncssh_server(rekey_bytes):
    """Yield the port of asyncssh's server, which sends back what it receives."""

    async def process(of):
        await copy(of.stdin, of.stdout)
        of.exit(0)

    key = asyncssh.generate_private_key("ssh-ed25519")
    options = {"server_host_keys": [key], "process_factory": process, "encoding": None, "config": None}
    async with asyncssh.listen(
        "127.0.0.1", 0, server_factory=Server, encryption_algs=[ALGORITHM], rekey_bytes=rekey_bytes, **options
    ) as server:
        yield server.sockets[0].getsockname()[1]


@contextlib.asynccontextmanager
async def through_asyncssh(port, folder, rekey_bytes):
    """Yield a reader and a writer of what a server of this process sends back through OpenSSH's server."""
    async with await asyncio.start_server(echo, "127.0.0.1", 0) as far:
        options = {"username": SERVER_USER, "client_keys": [folder / "user"], "known_hosts": None, "config": None}
        async with asyncssh.connect(
            "127.0.0.1",
            port,
            client_factory=Client,
            encryption_algs=[ALGORITHM],
            rekey_bytes=rekey_bytes,
            agent_path=None,
            **options,
        ) as connection:
            yield await connection.open_connection(*far.sockets[0].getsockname())


@contextlib.asynccontextmanager
async def through_openssh(port, folder, rekey_bytes):
    """The same through OpenSSH's client, whose messages are in the folder afterwards."""
    options = [f"Ciphers={ALGORITHM}", f"RekeyLimit={rekey_bytes}", "StrictHostKeyChecking=no", "BatchMode=yes"]
    options += ["UserKnownHostsFile=/dev/null", "ControlPath=none"]
    command = ["ssh", "-F", "none", *(f"-o{option}" for option in options), "-p", str(port), "127.0.0.1", "echo"]
    pipe = asyncio.subprocess.PIPE
    with (folder / "log").open("w") as log:
        client = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=log)
        yield client.stdout, client.stdin
        client.stdin.close()
        (folder / "status").write_text(str(await client.wait()))


async def exchange(reader, writer, length):
    """Send that number of bytes in parts of all lengths, and compare what comes back."""
    source, pattern = random.Random(length), random.Random(2).randbytes(2 << 20)
    for size in range(1, 4000, 7):
        writer.write(pattern[size : 2 * size])
        assert await reader.readexactly(size) == pattern[size : 2 * size]

    async def send(sent):
        left = length
        while left:
            size, at = min(left, source.randrange(1, 1 << 17)), source.randrange(1 << 20)
            part = pattern[at : at + size]
            sent.update(part)
            writer.write(part)
            await writer.drain()
            left -= size
        writer.write_eof()

    sent, received, count = hashlib.sha256(), hashlib.sha256(), 0
    sending = asyncio.create_task(send(sent))
    while data := await reader.read(1 << 16):
        received.update(data)
        count += len(data)
    await sending
    assert count == length and received.digest() == sent.digest()


SIZES = [pytest.param(4 << 20, 1 << 18), pytest.param((1 << 30) + 77, 1 << 24, marks=pytest.mark.release)]


def check_counts(length, rekey_bytes):
    assert Counted.keys // 2 >= length // rekey_bytes
    lengths = set(range(24, 4000, 8))
    assert lengths <= Counted.sealed and len(lengths - Counted.opened) < 20  # of these, two may have arrived at once


@pytest.mark.parametrize(("length", "rekey_bytes"), SIZES)
def test_openssh_server(length, rekey_bytes, installed):
    async def run(folder):
        async with openssh_server(folder) as port, through_asyncssh(port, folder, rekey_bytes) as (reader, writer):
            await exchange(reader, writer, length)

    with server_folder() as folder:
        asyncio.run(run(folder))
    check_counts(length, rekey_bytes)


@pytest.mark.parametrize(("length", "rekey_bytes"), SIZES)
def test_openssh_client(length, rekey_bytes, installed, tmp_path):
    async def run():
        async with (
            asyncssh_server(rekey_bytes) as port,
            through_openssh(port, tmp_path, rekey_bytes) as (reader, writer),
        ):
            await exchange(reader, writer, length)

    asyncio.run(run())
    assert (tmp_path / "status").read_text() == "0"
    check_counts(length, rekey_bytes)


class Proxy:
    """It changes a bit of the connection that passes it: at the byte `at` of a direction, counted from when that is set."""

    def __init__(self, port):
        self.port, self.at = port, {"to client": None, "to server": None}

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_):
        self.server.close()

    async def serve(self, reader, writer):
        far = await asyncio.open_connection("127.0.0.1", self.port)
        await asyncio.gather(self.pass_on(reader, far[1], "to server"), self.pass_on(far[0], writer, "to client"))

    async def pass_on(self, reader, writer, direction):
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                at = self.at[direction]
                if at is not None and at < len(data):
                    data = data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :]
                    self.at[direction] = None
                elif at is not None:
                    self.at[direction] -= len(data)
                writer.write(data)
                await writer.drain()
        writer.close()


async def exchange_until_it_ends(proxy, reader, writer, direction, at):
    """Change a bit of what is sent after the first bytes. What arrives until the end is the beginning of what was sent."""
    writer.write(b"first")
    assert await reader.readexactly(5) == b"first"
    proxy.at[direction] = at
    parts = [random.Random(i).randbytes(40 if i < 60 else 1 << 15) for i in range(80)]

    async def send():
        for part in parts:
            writer.write(part)
            await writer.drain()

    # Who waits for the rest of a packet whose length was changed gets it.
    sending, received = asyncio.create_task(send()), b""
    with contextlib.suppress(ConnectionError, asyncssh.Error):
        while data := await reader.read(1 << 16):
            received += data
    sending.cancel()
    await asyncio.wait([sending])
    whole = b"".join(parts)
    assert proxy.at[direction] is None and len(received) < len(whole) and whole.startswith(received)


# The beginning and end of an encrypted length, texts and tags of two packets or more; in the end, all bytes of these.
PLACES = [0, 3, 4, 30, 100, 3000, *(pytest.param(at, marks=pytest.mark.release) for at in (1, 2, *range(5, 130)))]
OF_OPENSSH = "Corrupted MAC on input|Bad packet length|padding error|message authentication code incorrect"


def ended_by_asyncssh(error):
    """Whether asyncssh ended the connection, as it does with its own cipher."""
    reasons = "MAC verification failed|Max packet size exceeded"
    return isinstance(error, asyncssh.MACError | asyncssh.ProtocolError) and re.fullmatch(reasons, error.reason)


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("direction", ["to server", "to client"])
def test_corrupted_packets_beside_openssh_server(direction, at, installed):
    async def run(folder):
        async with openssh_server(folder) as port, Proxy(port) as proxy:
            with contextlib.suppress(ConnectionError, asyncssh.Error):
                proxied = proxy.server.sockets[0].getsockname()[1]
                async with through_asyncssh(proxied, folder, 1 << 30) as (reader, writer):
                    await exchange_until_it_ends(proxy, reader, writer, direction, at)
            while not hasattr(Client, "lost"):
                await asyncio.sleep(0.01)
        return (folder / "log").read_text()

    Client.__dict__.get("lost") is None or delattr(Client, "lost")
    with server_folder() as folder:
        log = asyncio.run(asyncio.wait_for(run(folder), 100))
    if direction == "to server":
        assert re.search(OF_OPENSSH, log), log
    else:
        assert ended_by_asyncssh(Client.lost), repr(Client.lost)


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize("direction", ["to server", "to client"])
def test_corrupted_packets_beside_openssh_client(direction, at, installed, tmp_path):
    async def run():
        async with asyncssh_server(1 << 30) as port, Proxy(port) as proxy:
            proxied = proxy.server.sockets[0].getsockname()[1]
            async with through_openssh(proxied, tmp_path, 1 << 30) as (reader, writer):
                await exchange_until_it_ends(proxy, reader, writer, direction, at)
            while not hasattr(Server, "lost"):
                await asyncio.sleep(0.01)

    Server.__dict__.get("lost") is None or delattr(Server, "lost")
    asyncio.run(asyncio.wait_for(run(), 100))
    assert (tmp_path / "status").read_text() == "255"
    if direction == "to client":
        assert re.search(OF_OPENSSH, log := (tmp_path / "log").read_text()), log
    else:
        assert ended_by_asyncssh(Server.lost), repr(Server.lost)


@pytest.mark.parametrize(
    ("file", "least"),
    [
        ("test_encryption.py", 2),
        *(
            pytest.param(file, least, marks=pytest.mark.release)
            for file, least in (("test_connection.py", 100), ("test_channel.py", 50), ("test_process.py", 50))
        ),
    ],
)
def test_asyncsshs_tests_pass(file, least, tmp_path):
    """Connections have this cipher, which is asyncssh's first choice."""
    archive = BUILD / f"sources/asyncssh-{asyncssh.__version__}.tar.gz"
    with tarfile.open(archive) as sources:
        sources.extractall(tmp_path, filter="data")
    folder = tmp_path / archive.name.removesuffix(".tar.gz")
    shutil.rmtree(folder / "asyncssh")  # the package that is installed is tested
    # asyncssh calls with the length of the packet as header; this test, with any bytes.
    test, header = folder / "tests/test_encryption.py", "hdr, packet = data[:4], data[4:]\n"
    assert test.read_text().count(header) == 1
    test.write_text(test.read_text().replace(header, 'packet = data[4:]; hdr = len(packet).to_bytes(4, "big")\n'))
    (folder / "conftest.py").write_text("import hornet_poly1305.asyncssh\n\nhornet_poly1305.asyncssh.install()\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/{file}"]
    command += [
        "--deselect",
        "tests/test_connection.py::_TestConnection::test_known_hosts_not_readable",
    ]  # root reads it
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-5000:]
    assert int(re.search(r"(\d+) passed", run.stdout)[1]) >= least, run.stdout
