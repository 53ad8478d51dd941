"""The service itself: requests and answers by Starlette, run by uvicorn, within the limits of `untrusted`.

An answer is computed in a thread, so that a long one holds nobody up. After its time the client is told so, and the
thread comes to its end alone: rows and models are limited.
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import h11
import uvicorn
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from crystalogic.errors import CrystalogicError, DocumentError, ServiceError, TooLargeError, refuse
from crystalogic.model import Model
from crystalogic.report.page import content_policy
from crystalogic.service.answers import describe, example_row, explain, openapi, predict
from crystalogic.untrusted import SERVED
from crystalogic.words.tables import fill_template, package_file

DRAINED = 8  # times the limit of a body that is read on, so that its client hears why it was refused
LONGEST_MESSAGE = 1000
GRACE = 3  # seconds for what is under way when the service is stopped
LOCAL = ("127.0.0.1", "localhost", "::1")
VERBS = {"/predict": predict, "/explain": explain}
STATUS = {TooLargeError: 413, DocumentError: 400}  # of all other errors about a request, 422


def make_app(model: Model, version: str, host: str = LOCAL[0]) -> Callable[..., Any]:
    """The service for a model whose certificate was checked, as ASGI; `host` is the one that it listens on."""
    pool, constants = ThreadPoolExecutor(SERVED.workers), _constants(model, version)
    allowed = {**dict.fromkeys(VERBS, ("POST",)), **dict.fromkeys(constants, ("GET", "HEAD"))}

    async def answer(request: Request) -> Response:
        path, method, name = request.scope["path"], request.method, request.headers.get("host", "")
        if host in LOCAL and re.sub(r":[0-9]*$", "", name).strip("[]") not in LOCAL:  # a name that was made to mean us
            raise HTTPException(421, "this service answers to the name localhost alone. See --host.")
        if path not in allowed:
            raise HTTPException(404, f"there is no {path[:60]!r} here; there are {', '.join(allowed)}.")
        if method not in allowed[path]:
            raise HTTPException(405, f"{path} does not take {method[:20]}; use {allowed[path][0]}.")
        if path in constants:
            return Response(*constants[path])
        work = partial(VERBS[path], model, await _read_body(request), request.query_params)
        return _respond(await asyncio.get_running_loop().run_in_executor(pool, work))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        try:
            async with asyncio.timeout(SERVED.seconds):
                response = await answer(Request(scope, receive))
        except TimeoutError:
            response = _refuse(503, f"there is no answer within {SERVED.seconds} seconds. Send less, or try again.")
        except HTTPException as error:
            response = _refuse(error.status_code, error.detail)
        except CrystalogicError as error:
            response = _refuse(STATUS.get(type(error), 422), str(error), type(error).__name__)
        except ClientDisconnect:
            response = Response(status_code=400)
        except Exception:  # whatever it is, nobody outside is shown it
            response = _refuse(500, "this is a fault of the service, not of the request. Please report it.")
        await response(scope, receive, send)

    return app


def _constants(model: Model, version: str) -> dict[str, tuple[Any, ...]]:
    """What is always the same: content, status, headers and type of each path."""
    health = {"status": "ok", "verified": True, "fingerprint": model.fingerprint, "version": version}
    data = {"/model": describe(model), "/health": health, "/openapi.json": openapi(model, version)}
    texts = {"style": package_file("service", "page.css"), "script": package_file("service", "page.js")}
    shown = {"about": data["/model"], "spec": data["/openapi.json"], "target": model.target, "version": version}
    example = json.dumps(example_row(model), indent=1)
    page = fill_template("service", "template.html", example=example, limits=SERVED, **texts, **shown)
    policy = f"{content_policy(**texts)}; connect-src 'self'; frame-ancestors 'none'"
    headers = {"content-security-policy": policy, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
    found: dict[str, tuple[Any, ...]] = dict.fromkeys(("/", "/docs"), (page, 200, headers, "text/html"))
    return found | {path: (json.dumps(each), 200, headers, "application/json") for path, each in data.items()}


async def _read_body(request: Request) -> str:
    """The text of a request; what is too long, packed or not said to be JSON is refused."""
    kind, packing = (request.headers.get(f"content-{name}", "")[:40].lower() for name in ("type", "encoding"))
    if kind.partition(";")[0].strip() != "application/json":  # which also keeps the pages of other sites from asking
        raise HTTPException(415, f"the content type is {kind!r}, expected 'application/json'.")
    if packing not in ("", "identity"):
        raise HTTPException(415, f"the body is packed ({packing!r}); send it as it is.")
    body, n_bytes, most = bytearray(), 0, DRAINED * SERVED.bytes
    if len(request.headers.get("content-length", "")) > len(str(most)):
        n_bytes = most
    else:
        async for part in request.stream():
            n_bytes += len(part)
            body += part if n_bytes <= SERVED.bytes else b""
            if n_bytes > most:
                break
    if n_bytes > SERVED.bytes:
        raise HTTPException(413, f"the body has more than {SERVED.bytes:,} bytes. Send fewer rows at a time.")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise HTTPException(400, f"byte {error.start} of the body, 0x{body[error.start]:02x}, is not UTF-8.") from None


def _refuse(status: int, message: str, kind: str = "ServiceError") -> Response:
    """What went wrong. The connection ends, for more of the request may come."""
    return _respond({"error": kind, "message": message[:LONGEST_MESSAGE]}, status, {"connection": "close"})


def _respond(content: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    text = json.dumps(content, allow_nan=False)  # in ASCII: a cell may hold half a character, which UTF-8 cannot
    return Response(text, status, {"cache-control": "no-store", **(headers or {})}, "application/json")


class _Impatient(H11Protocol):
    """HTTP by uvicorn, which would wait for ever for the end of a head, and for a client that takes no answer."""

    _next: asyncio.TimerHandle

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._look(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._next.cancel()
        super().connection_lost(exc)

    def _look(self, before: object) -> None:
        """Ends a connection on which nothing has changed since the last look, and that waits for its client."""
        is_waiting = self.conn.their_state is h11.IDLE or self.flow.write_paused
        if is_waiting and before is (self.cycle or self):
            self.transport.abort()
        self._next = self.loop.call_later(SERVED.seconds, self._look, (self.cycle or self) if is_waiting else None)


def serve(model: Model, version: str, host: str, port: int) -> None:
    """Serves a model until Ctrl-C."""
    model.check()  # before anybody is told that it is proved
    quiet: dict[str, Any] = {"log_level": "critical", "access_log": False, "server_header": False}
    plain: dict[str, Any] = {"http": _Impatient, "ws": "none", "lifespan": "off", "loop": "asyncio", **quiet}
    ends: dict[str, Any] = {"limit_concurrency": SERVED.connections, "timeout_graceful_shutdown": GRACE}
    try:
        uvicorn.run(make_app(model, version, host), host=host, port=port, proxy_headers=False, **plain, **ends)
    except SystemExit:
        message = f"{host}:{port} cannot be listened on. Is it in use? Choose another with --port or --host."
        refuse(ServiceError, message)
