"""Panels and their balls, with their own air and control socket."""

import contextlib
import http.client
import json
import pathlib
import urllib.parse

import worlds
from programs import PATIENCE, Program, eightball


def environment(folder: pathlib.Path) -> dict[str, str]:
    """The paths of the air, the control socket and the bonds, apart from other programs."""
    return {
        "EIGHTBALL_AIR": f"{folder}/air",
        "EIGHTBALL_CONTROL": f"{folder}/control",
        "XDG_STATE_HOME": str(folder),
    }


def ball(folder: pathlib.Path, *options: str):
    """A ball on the virtual air and board."""
    return worlds.ball_running(
        "--radio", "virtual", "--board", "virtual", *options, environment=environment(folder)
    )


class Panel:
    """A running panel and its address."""

    def __init__(self, program: Program, address: str):
        self.program = program
        #: With the token.
        self.address = address
        parts = urllib.parse.urlsplit(address)
        self.port = parts.port
        self.token = urllib.parse.parse_qs(parts.query)["token"][0]
        self.cookie = f"eightball-{self.port}={self.token}"
        self.host = f"127.0.0.1:{self.port}"

    def request(self, method: str, path: str, body: bytes | None = None, **headers):
        """The response to a request with the cookie and the page's origin; None removes a header field."""
        fields = {"Host": self.host, "Cookie": self.cookie}
        if method == "POST":
            fields |= {"Origin": f"http://{self.host}", "Content-Type": "application/json"}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in fields.items():
            if value is not None:
                connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        return connection.getresponse()

    def post(self, path: str, **content):
        return self.request("POST", path, json.dumps(content).encode())

    @contextlib.contextmanager
    def stream(self):
        """An open stream of events; yields a function that returns the next event of a name."""
        response = self.request("GET", "/events")
        assert response.status == 200, response.read()

        def next_event(name: str) -> dict:
            while line := response.readline():
                if line.startswith(b"data: "):
                    event = json.loads(line[6:])
                    if event["event"] == name:
                        return event
            raise AssertionError(f"The stream ended before {name}.")

        try:
            yield next_event
        finally:
            response.close()


@contextlib.asynccontextmanager
async def panel(folder: pathlib.Path, *options: str):
    """`eightball panel` at a free port, unless `options` have one."""
    options = options if "--port" in options else ("--port", "0", *options)
    async with Program(
        eightball(), "panel", *options, environment=environment(folder)
    ) as program:
        address = await program.line(
            lambda line: line if line.startswith("http://") else None, "the panel’s address"
        )
        yield Panel(program, address)
