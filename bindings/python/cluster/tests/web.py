# SPDX-License-Identifier: Apache-2.0 OR MIT
"""An HTTP server of a few files in memory, which lists folders, and misbehaves as the names of files tell it to.

A file whose name has a word of Handler.faults answers GET with that fault.
"""

import gzip
import html
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote_to_bytes


class Web(ThreadingHTTPServer):
    """The server: `files` by path, `pages` by path in place of listings, and what was asked."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, files, pages=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.pages = files, pages or {}
        self.gets, self.sent = Counter(), Counter()
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.thread.join()
        self.server_close()

    def handle_error(self, request, client_address):
        pass  # clients leave in the middle of responses


def listing(server, path):
    """Return a page as Apache makes it."""
    entries = {
        name[len(path) :].split(b"/", 1)[0] + b"/" * (b"/" in name[len(path) :])
        for name in server.files
        if name.startswith(path)
    }
    links = "".join(
        f'<li><a href="{html.escape(quote(entry))}">{html.escape(repr(entry))}</a></li>' for entry in sorted(entries)
    )
    order = '<a href="?C=N&amp;O=D">Name</a> <a href="/">up</a>'
    return f"<html><head><title>Index of /{html.escape(repr(path))}</title></head><body>{order}<ul>{links}</ul></body></html>".encode()


class Handler(BaseHTTPRequestHandler):
    """Answers as servers should, but for the fault."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *_):
        pass

    def reply(self, status, headers, body=b""):
        self.send_response(status)
        for name, value in headers.items():
            if value is not None:
                self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)
            self.server.sent[self.path] += len(body)

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = unquote_to_bytes(self.path.split("?")[0]).removeprefix(b"/")
        server = self.server
        server.gets[path] += self.command == "GET"
        if path in server.pages:
            self.close_connection = True
            return self.reply(*server.pages[path])
        if path in server.files:
            return self.object(path, server.files[path])
        if path == b"" or path.endswith(b"/"):
            if any(name.startswith(path) for name in server.files):
                return self.reply(200, {"Content-Type": "text/html; charset=utf-8"}, listing(server, path))
        elif any(name.startswith(path + b"/") for name in server.files):
            return self.reply(301, {"Location": quote(b"/" + path + b"/")})
        return self.reply(404, {})

    def object(self, path, data):
        fault = path.rpartition(b"/")[2].decode(errors="replace")
        nth = self.server.gets[path]
        is_get = self.command == "GET"
        headers = {
            "Content-Type": "application/octet-stream",
            "ETag": f'"{len(data)}"',
            "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT",
            "Accept-Ranges": "bytes",
        }
        if fault.startswith("no versions"):
            headers |= {"ETag": None, "Last-Modified": None}
        if fault == "no HEAD" and not is_get:
            return self.reply(405, {})
        if fault == "no length" or (fault == "no length of GET" and is_get):
            self.close_connection = True
            return self.reply(200, headers | {"Content-Length": None, "Connection": "close"}, data)
        if fault == "always compressed" or (fault == "compressed" and is_get):
            return self.reply(200, headers | {"Content-Encoding": "gzip"}, gzip.compress(data))
        moved = {
            "moved": "/elsewhere/file",
            "moved to a folder": "/elsewhere/",
            "moved to another host": "http://files.example/f?signature=secret",
            "moved to itself": quote(b"/" + path),
            "moved to nowhere": None,
        }
        if fault in moved:
            return self.reply(302, {"Location": moved[fault]})
        if not is_get:
            return self.reply(200, headers | {"Content-Length": str(len(data))})
        status = {"403": 403, "gone": 410, "404": 404, "416": 416, "204": 204, "201": 201, "500": 500, "418": 418}.get(
            fault
        )
        status = 503 if fault == "503 at first" and nth == 1 else status
        if status is not None:
            return self.reply(status, headers)
        if fault == "other ETag":
            headers["ETag"] = f'"{nth}"'
        if fault == "other time":
            headers["Last-Modified"] = f"Thu, 01 Jan 2026 00:00:{nth:02} GMT"
        if fault == "other length":
            data += b"1"
        wanted = self.headers.get("Range")
        if fault == "no versions, less":
            wanted = wanted or f"bytes=0-{len(data) // 2}"
        if wanted is None or fault.endswith("ignored"):
            body, status = data, 200
            first, last = 0, len(data) - 1
        else:
            first, last = map(int, wanted.removeprefix("bytes=").split("-"))
            last = min(last, len(data) - 1)
            if fault == "wrong range":
                first, last = first + 16, last + 16
            if fault == "first bytes":
                first, last = 0, last - first
            if fault == "short range":
                last = first + (last - first) // 2
            body, status = data[first : last + 1], 206
            headers["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
        if fault == "no range told":
            headers["Content-Range"], status = None, 206
        if fault == "range without size":
            headers["Content-Range"], status = f"bytes {first}-{last}/*", 206
        if fault == "odd range":
            headers["Content-Range"], status = "bytes \u009b31m\u202e", 206
            headers["Content-Range"] = headers["Content-Range"].encode().decode("latin-1")
        if fault == "several ranges":
            body = b"--x\r\nContent-Range: bytes 0-1/2\r\n\r\n" + body + b"\r\n--x--\r\n"
            headers |= {"Content-Range": None, "Content-Type": "multipart/byteranges; boundary=x"}
            status = 206
        if fault == "long":
            body += b"more"
        length = len(body)
        if fault == "cut" or (fault.startswith("cut at first") and nth == 1):
            body = body[: length // 2]
            self.close_connection = True
        self.reply(status, headers | {"Content-Length": str(length)}, body)
