# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs programs with only their configuration changed: nginx and curl, openssl s_server and s_client, on loopback.

They use TLS 1.3 and 1.2 with ChaCha20-Poly1305. The provider is on either side, with the default provider on the other,
and on both sides: each must open what the other seals. With a build of the provider that fails, ChaCha20-Poly1305 must
fail, and AES must work, which shows that the programs use this provider.
"""

import contextlib
import hashlib
import os
import re
import socket
import subprocess
import time

import pytest
from support import ROOT, output, row, rows
from support.products import provider

MEGABYTES = 200
REQUESTS = 2000
NGINX = ROOT / "build/nginx/usr/sbin/nginx"
SIDES = [("hornet", "hornet"), ("hornet", "default"), ("default", "hornet")]
FAILING_SIDES = [("fails", "default"), ("default", "fails"), ("fails", "fails")]
SUITES = {
    ("1.3", "chacha"): "TLS_CHACHA20_POLY1305_SHA256",
    ("1.3", "aes"): "TLS_AES_128_GCM_SHA256",
    ("1.2", "chacha"): "ECDHE-ECDSA-CHACHA20-POLY1305",
    ("1.2", "aes"): "ECDHE-ECDSA-AES128-GCM-SHA256",
}
NGINX_CONFIGURATION = """
daemon off;
pid {folder}/nginx.pid;
worker_processes 1;
events {{ worker_connections 64; }}
{user}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {folder}/certificate.pem;
        ssl_certificate_key {folder}/key.pem;
        ssl_protocols TLSv{version};
        {ciphers} {suite};
        keepalive_requests 100;
        add_header X-Suite "$ssl_protocol $ssl_cipher";
        location / {{ root {folder}; }}
        location ~ ^/number/(.*)$ {{ return 200 "number $1\\n"; }}
    }}
}}
"""


class Site:
    """A folder with a certificate and files, and programs that serve and fetch these over a version of TLS."""

    def __init__(self, folder, version):
        self.folder, self.version = folder, version
        large = os.urandom(MEGABYTES * 1_000_000)
        (folder / "large").write_bytes(large)
        self.large_hash = hashlib.sha256(large).hexdigest()
        requested = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
        files = "-keyout key.pem -out certificate.pem"
        output("openssl", *requested.split(), "-addext", "subjectAltName=IP:127.0.0.1", *files.split(), cwd=folder)

    def start(self, side, *command, **options):
        """Start a program with the provider `side`, and without the caller's environment."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        if side != "default":
            modules = provider("cc", *(["-DHORNET_PROVIDER_FAILS"] if side == "fails" else []))
            configuration = ROOT / "bindings/openssl/openssl.cnf"
            environment |= {"OPENSSL_CONF": str(configuration), "OPENSSL_MODULES": str(modules)}
        print("$", side, *command, flush=True)
        return subprocess.Popen(list(map(str, command)), cwd=self.folder, env=environment, **options)

    @contextlib.contextmanager
    def serving(self, side, *command, port, **options):
        """Serve with this program until the end of the block, from when port() returns one."""
        with self.start(side, *command, **options) as server:
            try:
                for _ in range(200):
                    if server.poll() is not None or port():
                        break
                    time.sleep(0.05)
                assert server.poll() is None and port(), f"{command[0]} with {side} does not start"
                yield port()
            finally:
                server.terminate()

    def nginx(self, side, cipher):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        started = self.folder / "nginx.pid"
        started.unlink(missing_ok=True)
        configuration = NGINX_CONFIGURATION.format(
            folder=self.folder,
            port=port,
            version=self.version,
            ciphers="ssl_conf_command Ciphersuites" if self.version == "1.3" else "ssl_ciphers",
            suite=SUITES[self.version, cipher],
            user="user root;" if os.getuid() == 0 else "",
        )
        (self.folder / "nginx.conf").write_text(configuration)
        # nginx writes the file when it listens.
        options = ["-p", self.folder, "-c", "nginx.conf", "-e", "nginx.log"]
        return self.serving(side, NGINX, *options, port=lambda: started.exists() and started.read_text() and port)

    def curl(self, side, cipher, port, path, *options):
        """Fetch a path from nginx, and return the process."""
        words = "--max-time 300 --silent --show-error --fail --noproxy * --cacert certificate.pem".split()
        ciphers = "--tls13-ciphers" if self.version == "1.3" else "--ciphers"
        words += [f"--tlsv{self.version}", "--tls-max", self.version, ciphers, SUITES[self.version, cipher]]
        return self.start(side, "curl", *words, *options, f"https://127.0.0.1:{port}{path}", stdout=subprocess.PIPE)

    @contextlib.contextmanager
    def s_server(self, side):
        """Serve the files of the folder to one connection."""
        log = self.folder / "s_server.log"
        words = "openssl s_server -accept 127.0.0.1:0 -naccept 1 -WWW -key key.pem -cert certificate.pem".split()
        ciphers = "-ciphersuites" if self.version == "1.3" else "-cipher"
        words += [f"-tls{self.version.replace('.', '_')}", ciphers, SUITES[self.version, "chacha"]]

        def port():
            found = re.search(r"^ACCEPT 127\.0\.0\.1:(\d+)$", log.read_text(), re.M)
            return found and found[1]

        with log.open("w") as printed:
            with self.serving(side, *words, port=port, stdin=subprocess.DEVNULL, stdout=printed) as served:
                yield served

    def s_client(self, side, port, path):
        """Get a file from s_server, and return the process, which prints it."""
        words = (
            f"openssl s_client -connect 127.0.0.1:{port} -CAfile certificate.pem -verify_return_error -quiet".split()
        )
        version = f"-tls{self.version.replace('.', '_')}"
        client = self.start(side, *words, version, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with contextlib.suppress(BrokenPipeError), client.stdin:
            client.stdin.write(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        # The header of the response ends in an empty line.
        while client.stdout.readline().strip():
            pass
        return client


def hash_of(process):
    with process:
        return hashlib.file_digest(process.stdout, "sha256").hexdigest()


def text_of(process):
    """Return what the process prints, or None if it fails."""
    with process:
        text = process.stdout.read().decode()
    return text if process.returncode == 0 else None


@pytest.fixture
def site(folder, version):
    yield Site(folder, version)
    (folder / "large").unlink()


@rows(
    "version",
    row("openssl-provider-tls-1.3", "1.3", suites="slow", cpu_seconds=30),
    row("openssl-provider-tls-1.2", "1.2", suites="release", cpu_seconds=30),
)
def test_tls(site):
    for server, client in SIDES:
        with site.nginx(server, "chacha") as port:
            seen = ["--output", "/dev/null", "--write-out", "%header{x-suite}"]
            suite = f"TLSv{site.version} {SUITES[site.version, 'chacha']}"
            assert text_of(site.curl(client, "chacha", port, "/number/1", *seen)) == suite
            assert hash_of(site.curl(client, "chacha", port, "/large")) == site.large_hash
            # nginx is configured for 100 requests per connection.
            numbers = "".join(f"number {i}\n" for i in range(1, REQUESTS + 1))
            assert text_of(site.curl(client, "chacha", port, f"/number/[1-{REQUESTS}]")) == numbers
        with site.s_server(server) as port:
            assert hash_of(site.s_client(client, port, "/large")) == site.large_hash


@rows(
    "version",
    row("openssl-provider-tls-1.3-fails", "1.3", suites="slow"),
    row("openssl-provider-tls-1.2-fails", "1.2", suites="release"),
)
def test_tls_fails(site):
    for server, client in FAILING_SIDES:
        with site.nginx(server, "chacha") as port:
            assert text_of(site.curl(client, "chacha", port, "/number/1")) is None
        with site.nginx(server, "aes") as port:
            assert text_of(site.curl(client, "aes", port, "/number/1")) == "number 1\n"
        with site.s_server(server) as port, site.s_client(client, port, "/large") as process:
            assert process.stdout.read() == b""
