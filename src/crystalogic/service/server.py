"""The service itself: requests and answers by Starlette, run by uvicorn, within the limits of `untrusted`."""

import asyncio
import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

import h11
import uvicorn
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from crystalogic.errors import CrystalogicError, DocumentError, ServiceError, TooLargeError, refuse
from crystalogic.model import Model
from crystalogic.report.page import content_policy
from crystalogic.service.answers import describe, explain, predict
from crystalogic.untrusted import SERVED
from crystalogic.words.literals import column_words
from crystalogic.words.tables import fill_template, package_file

DRAINED = 8  # times the limit of a body that is read on, so that its client hears why it was refused
LONGEST_MESSAGE = 1000
LOCAL = ("127.0.0.1", "localhost", "::1")
VERBS = {"/predict": predict, "/explain": explain}
STATUS = {TooLargeError: 413, DocumentError: 400, CrystalogicError: 422, UnicodeDecodeError: 400, TimeoutError: 503}
SAID = {500: "this is a fault of the service; please report it.", 503: "there is no answer in time; send less."}


def make_app(model: Model, version: str, host: str = LOCAL[0]) -> Callable[..., Any]:
    """The service for a model whose certificate was checked, as ASGI; `host` is the one that it listens on."""
    pool, constants = ThreadPoolExecutor(4), _constants(model, version)  # a long answer holds nobody up
    allowed = {**dict.fromkeys(VERBS, ("POST",)), **dict.fromkeys(constants, ("GET", "HEAD"))}

    async def answer(request: Request) -> Response:
        path, name = request.scope["path"], re.sub(":[0-9]*$", "", request.headers.get("host", "")).strip("[]")
        if host in LOCAL and name not in LOCAL:  # a page elsewhere, whose name was made to mean this machine
            raise HTTPException(421, f"{name[:60]!r} is not served here; ask for localhost. See --host.")
        if path not in allowed:
            raise HTTPException(404, f"there is no {path[:60]!r} here; there are {', '.join(allowed)}.")
        if request.method not in allowed[path]:
            raise HTTPException(405, f"{path} does not take {request.method[:20]}; use {allowed[path][0]}.")
        if path in constants:
            return Response(*constants[path])
        work = partial(VERBS[path], model, await _read_body(request), request.query_params)
        return _respond(await asyncio.get_running_loop().run_in_executor(pool, work))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        try:
            async with asyncio.timeout(SERVED.seconds):
                response = await answer(Request(scope, receive))
        except Exception as error:  # whatever it is, nobody outside is shown more than a sentence
            told = (code for kind, code in STATUS.items() if isinstance(error, kind))
            status = getattr(error, "status_code", None) or next(told, 500)
            message = SAID.get(status) or getattr(error, "detail", None) or str(error)
            kind = type(error if isinstance(error, CrystalogicError) else ServiceError()).__name__
            response = _respond({"error": kind, "message": message[:LONGEST_MESSAGE]}, status)
            response.headers["connection"] = "close"  # for more of the request may come
        await response(scope, receive, send)

    return app


def _respond(content: Any, status: int = 200) -> Response:
    text = json.dumps(content, allow_nan=False)  # in ASCII: a cell may hold half a character, which UTF-8 cannot
    return Response(text, status, {"cache-control": "no-store"}, "application/json")


def _constants(model: Model, version: str) -> dict[str, tuple[Any, ...]]:
    """What is always the same: content, status, headers and type of each path."""
    columns = [model.encoding.by_name[name] for name in model.columns]
    example = {each.name: each.range[0] if each.range else (*each.known, None)[0] for each in columns}
    told = {"about": describe(model), "example": example, "limits": SERVED, "version": version}
    told |= {"columns": {each.name: column_words(each) for each in columns}}
    spec = fill_template("service", "openapi.json.jinja", **told)
    texts = {"style": package_file("service", "page.css"), "script": package_file("service", "page.js")}
    page = fill_template("service", "template.html", paths=json.loads(spec)["paths"], **texts, **told)
    health = {"status": "ok", "verified": True, "fingerprint": model.fingerprint, "version": version}
    policy = f"{content_policy(**texts)}; connect-src 'self'; frame-ancestors 'none'"
    headers = {"content-security-policy": policy, "x-content-type-options": "nosniff"}
    data = {"/model": json.dumps(told["about"]), "/health": json.dumps(health), "/openapi.json": spec}
    found: dict[str, tuple[Any, ...]] = dict.fromkeys(("/", "/docs"), (page, 200, headers, "text/html"))
    return found | {path: (text, 200, headers, "application/json") for path, text in data.items()}


async def _read_body(request: Request) -> str:
    """The text of a request; what is too long, packed or not said to be JSON is refused."""
    kind, packing = (request.headers.get(f"content-{each}", "").lower() for each in ("type", "encoding"))
    if kind.partition(";")[0].strip() != "application/json" or packing not in ("", "identity"):  # so no form can ask
        raise HTTPException(415, f"the body is {kind[:40]!r} {packing[:20]}, expected plain 'application/json'.")
    body, n_bytes = bytearray(), 0
    async for part in request.stream():
        n_bytes += len(part)
        body += part if n_bytes <= SERVED.bytes else b""
        if n_bytes > DRAINED * SERVED.bytes:
            break
    if n_bytes > SERVED.bytes:
        raise HTTPException(413, f"the body has more than {SERVED.bytes:,} bytes. Send fewer rows at a time.")
    return body.decode("utf-8")


class _Impatient(H11Protocol):
    """HTTP by uvicorn, which would wait for ever for the end of a head, and for a client that takes no answer."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._look(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._next_look.cancel()
        super().connection_lost(exc)

    def _look(self, before: object) -> None:
        """Ends a connection on which nothing has come since the last look, and that waits for its client."""
        is_waiting = self.conn.their_state is h11.IDLE or self.flow.write_paused
        seen = (self.cycle or self) if is_waiting else None
        if seen is not None and seen is before:
            self.transport.abort()
        self._next_look = self.loop.call_later(SERVED.seconds, self._look, seen)


def serve(model: Model, version: str, host: str, port: int) -> None:
    """Serves a model until Ctrl-C."""
    model.check()  # before anybody is told that it is proved
    how: Any = {"http": _Impatient, "ws": "none", "loop": "asyncio", "lifespan": "off", "log_level": "critical"}
    how |= {"access_log": False, "server_header": False, "proxy_headers": False, "timeout_graceful_shutdown": 3}
    how |= {"host": host, "port": port, "limit_concurrency": SERVED.connections}
    try:
        with suppress(KeyboardInterrupt):
            uvicorn.run(make_app(model, version, host), **how)
    except SystemExit as ended:
        if ended.code not in (1, 3):  # of uvicorn, when it cannot start; a signal has others
            raise
        refuse(ServiceError, f"{host}:{port} cannot be listened on. Is it in use? Choose another --port or --host.")
