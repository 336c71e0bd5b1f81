"""A page for browsers of this machine, until the process is interrupted."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from symdyn.errors import RequestError


def serve(text: str, port: int) -> None:
    """Give the page to whoever asks for ``/`` at ``127.0.0.1`` and a port.

    Raises
    ------
    RequestError
        Another program has the port.
    """
    page = text.encode("utf-8")

    class Answer(BaseHTTPRequestHandler):
        """Gives the page, and nothing else."""

        def do_GET(self) -> None:
            """Answer a request."""
            known = self.path.partition("?")[0] == "/"
            self.send_response(200 if known else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(page) if known else 0))
            self.end_headers()
            if known:
                self.wfile.write(page)

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing."""

    try:
        server = ThreadingHTTPServer(("127.0.0.1", port), Answer)
    except OSError as failure:
        raise RequestError(f"port {port} cannot be used ({failure.strerror}); give another with --port") from None
    with server:
        server.serve_forever()
