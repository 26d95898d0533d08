"""Serves a folder, as `python3 -m http.server` does."""

import contextlib
import functools
import http.server
import pathlib
import threading


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_) -> None:
        pass


@contextlib.contextmanager
def serving(folder: pathlib.Path):
    """Serves the folder on loopback; yields the port."""
    handler = functools.partial(_Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()
