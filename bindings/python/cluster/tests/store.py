# SPDX-License-Identifier: Apache-2.0 OR MIT
"""An S3 server, moto's, that fails when it is told to: python store.py PORT.

Requests to /_faults set what goes wrong with GETs of objects: JSON with
    every: how many requests there are from one fault to the next
    kinds: 500, 503, "short" (a response that ends early), "cut" (a connection that ends early), "late" (silence)
    keys: a part of the keys whose GETs fail, always
    pause: seconds before each response
/_counts returns how many GETs of objects there were, the bytes of their responses, and the faults.
"""

import itertools
import json
import sys
import threading
import time

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server


class Faulty:
    """A WSGI application before moto's."""

    def __init__(self, application):
        self.application = application
        self.faults = {"every": 0, "kinds": [], "keys": None, "pause": 0}
        self.counts = {"gets": 0, "bytes": 0, "faults": 0}
        self.lock = threading.Lock()
        self.next = itertools.count(1)

    def __call__(self, environ, start_response):
        path = environ["PATH_INFO"]
        if path == "/_faults":
            self.faults |= json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
            start_response("200 OK", [])
            return [b""]
        if path == "/_counts":
            start_response("200 OK", [])
            return [json.dumps(self.counts).encode()]
        is_object = environ["REQUEST_METHOD"] == "GET" and path.strip("/").count("/") >= 1
        if not is_object:
            return self.application(environ, start_response)
        time.sleep(self.faults["pause"])
        with self.lock:
            self.counts["gets"] += 1
        kind = self.fault(path)
        if kind in (500, 503):
            start_response(f"{kind} Fault", [("Content-Type", "application/xml")])
            code = "InternalError" if kind == 500 else "SlowDown"
            return [f"<Error><Code>{code}</Code><Message>a fault</Message></Error>".encode()]
        if kind == "late":
            time.sleep(4)
        if kind == "short":
            return self.shortened(environ, start_response)
        body = b"".join(self.application(environ, start_response))
        if kind == "cut":
            # Fewer bytes than the header says.
            body = body[: len(body) // 2]
        with self.lock:
            self.counts["bytes"] += len(body)
        return [body]

    def shortened(self, environ, start_response):
        """Return a response that is well-formed, of fewer bytes than the range that was asked for."""
        kept = []
        body = b"".join(self.application(environ, lambda status, headers, _=None: kept.append((status, headers))))
        body = body[: len(body) // 2]
        status, headers = kept[0]
        start_response(status, [(n, str(len(body)) if n.lower() == "content-length" else v) for n, v in headers])
        with self.lock:
            self.counts["bytes"] += len(body)
        return [body]

    def fault(self, path):
        """Return what goes wrong with this request, or None."""
        faults = self.faults
        always = faults["keys"] and faults["keys"] in path
        if not always and not (faults["every"] and next(self.next) % faults["every"] == 0):
            return None
        with self.lock:
            self.counts["faults"] += 1
            return faults["kinds"][self.counts["faults"] % len(faults["kinds"])]


if __name__ == "__main__":
    application = Faulty(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", int(sys.argv[1]), application, threaded=True)
    print(server.port, flush=True)
    server.serve_forever()
