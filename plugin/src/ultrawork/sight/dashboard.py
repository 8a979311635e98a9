"""Serve the live page of `ultrawork dashboard` on this machine only, behind a token, without any external resource.

Its buttons are carried out by the functions behind the keys of the full screen."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from hmac import compare_digest

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ..core.errors import Conflict, UltraworkError, UsageError
from ..core.wording import strip_controls
from ..flow.answers import answer_item, mark_results_seen
from ..report import components
from ..report.inbox import find_item
from ..store.codec import dumps
from ..store.paths import Home
from ..store.store import Store
from .acts import Acts, VerbCall, start_beside
from .model import Watcher
from .views import AGENT, DIFF, RECEIPT, Drawn, Place, Views

HOST = "127.0.0.1"
_EVERY = 1.0
_BEAT = 15.0
# Text of a view wraps at this width, which a phone wraps once more.
_WIDTH = 90
_PATCH_SECONDS = 60.0
_FOLDER = os.path.dirname(os.path.abspath(__file__)) + "/page"
_TYPES = {
    "index.html": "text/html; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "app.css": "text/css; charset=utf-8",
}
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none';"
        " form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}
Handler = Callable[[Request], Awaitable[Response]]


class Dashboard:
    """The server. Everything but the empty page needs `token`. There is no cookie, so no other page can act for it."""

    def __init__(
        self,
        store: Store,
        token: str,
        port: int,
        *,
        environ: Mapping[str, str] | None = None,
        program: Sequence[str] = (),
        beat: float = _BEAT,
    ) -> None:
        self._store = store
        self._environ = environ or {}
        self._views = Views(store)
        self._acts = Acts(store, self._environ, list(program), lambda: "the dashboard")
        self._page_acts = PageActs(self._acts, self._environ, store.home)
        self._beat = beat
        self._token = token
        self._hosts = (f"{HOST}:{port}", f"localhost:{port}")
        self._watcher = Watcher(store)

    def make_app(self) -> Starlette:
        files = [
            Route("/" if name == "index.html" else f"/{name}", self._guard(_serve(name), is_open=True))
            for name in _TYPES
        ]
        return Starlette(
            routes=[
                *files,
                Route("/events", self._guard(self._stream)),
                Route("/api/look", self._guard(self._look)),
                Route("/api/parts/{name}", self._guard(self._parts)),
                Route("/api/view/{level}/{session}/{name}", self._guard(self._view)),
                Route("/api/answer", self._guard(self._answer), methods=["POST"]),
                Route("/api/seen", self._guard(self._see), methods=["POST"]),
                Route("/api/act", self._guard(self._act), methods=["POST"]),
            ]
        )

    def _guard(self, handle: Handler, *, is_open: bool = False) -> Handler:
        async def guarded(request: Request) -> Response:
            # Refuse host names that another site has pointed at this address.
            if request.headers.get("host", "") not in self._hosts:
                return Response("wrong host", 421, headers=_HEADERS)
            given = request.headers.get("authorization", "").removeprefix("Bearer ")
            if not is_open and not compare_digest(given.encode(), self._token.encode()):
                return Response("no valid token", 401, headers=_HEADERS)
            # A browser names the page that asks. The token alone would do.
            origin = request.headers.get("origin", "").removeprefix("http://")
            if origin and origin not in self._hosts:
                return Response("wrong origin", 403, headers=_HEADERS)
            try:
                answer = await handle(request)
            except UltraworkError as error:
                answer = JSONResponse({"text": str(error)}, 409)
            answer.headers.update(_HEADERS)
            return answer

        return guarded

    async def _look(self, _request: Request) -> Response:
        return _answer_json(self._watcher.look().document())

    async def _parts(self, request: Request) -> Response:
        return _answer_json(self._watcher.read_detail(request.path_params["name"]))

    async def _view(self, request: Request) -> Response:
        """Return an agent, a receipt or the changes of a session as the same lines as the full screen shows."""
        level, session, name = (request.path_params[key] for key in ("level", "session", "name"))
        if level not in (AGENT, RECEIPT, DIFF) or (level == RECEIPT and not name.isdecimal()):
            return Response("no such view", 404)
        if level == DIFF:
            self._views.patches[session] = await self._read_patch(session)
        drawn: Drawn = self._views.draw(Place(level, session, name), self._watcher.look(), _WIDTH)
        return _answer_json({"head": drawn.head, "lines": drawn.lines})

    async def _read_patch(self, session: str) -> str:
        process = await start_beside(self._acts.read_patch(session), self._environ)
        try:
            output, _ = await asyncio.wait_for(process.communicate(), _PATCH_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()
            return "reading the changes took too long; run ultrawork report --diff"
        return output.decode("utf-8", "replace")

    async def _see(self, request: Request) -> Response:
        name = str((await _read_body(request)).get("id"))
        seen = mark_results_seen(
            self._store, [inbox_item for inbox_item in self._watcher.look().items if inbox_item.id == name]
        )
        return _answer_json({"text": "marked as seen" if seen else "it is no longer listed"})

    async def _answer(self, request: Request) -> Response:
        body = await _read_body(request)
        item = find_item(self._store, str(body.get("id")))
        chosen, text = answer_item(self._store, item, str(body.get("words"))[:500], "the dashboard")
        return _answer_json({"answer": chosen, "text": text})

    async def _act(self, request: Request) -> Response:
        """Pause, cancel, retry or undo; a refusal says why, like the same key of the full screen."""
        body = await _read_body(request)
        act, session, subject = (str(body.get(key) or "") for key in ("act", "session", "subject"))
        confirmed = body.get("confirmed") is True
        done = await self._page_acts.carry_out(act, session, subject, confirmed=confirmed)
        return _answer_json({"text": done})

    async def _stream(self, request: Request) -> Response:
        return StreamingResponse(self._follow(request), media_type="text/event-stream")

    async def _follow(self, request: Request) -> AsyncIterator[str]:
        """Yield each change of the board, and a beat in between, so that silence means that something is wrong."""
        version, silent = -1, 0.0
        while not await request.is_disconnected():
            await self._watcher.ask_clients(self._environ)
            look = self._watcher.look()
            if look.version != version:
                version, silent = look.version, 0.0
                yield f"data: {dumps(look.document())}\n\n"
            elif silent >= self._beat:
                silent = 0.0
                yield ": beat\n\n"
            await asyncio.sleep(_EVERY)
            silent += _EVERY


async def _read_body(request: Request) -> dict[str, object]:
    try:
        given = await request.json()
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise UsageError("the request is not a JSON object")
    return given


def _serve(name: str) -> Handler:
    async def serve(_request: Request) -> Response:
        with open(f"{_FOLDER}/{name}", "rb") as file:  # noqa: ASYNC230 (a small file of ours)
            text = file.read()
        # The report page has the same components and the same colors.
        before = components.read_style("components").encode() if name.endswith(".css") else b""
        return Response(before + text, headers={"Content-Type": _TYPES[name]})

    return serve


def _answer_json(document: dict[str, object]) -> Response:
    return Response(dumps(document), media_type="application/json")


def serve_dashboard(
    store: Store,
    token: str,
    port: int,
    tell: Callable[[str], None],
    *,
    environ: Mapping[str, str] | None = None,
    program: Sequence[str] = (),
    beat: float = _BEAT,
) -> None:
    """Serve until interrupted. `tell` gets the address once the port is open."""
    import socket

    import uvicorn

    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen(64)
        port = listening.getsockname()[1]
        page = Dashboard(store, token, port, environ=environ, program=program, beat=beat)
        app = page.make_app()
        tell(f"http://{HOST}:{port}/#{token}")
        config = uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listening])


CANCEL, UNDO, PAUSE, RETRY = "cancel", "undo", "pause", "retry"
# These cannot be taken back, so the page asks first, and nothing is done without its yes.
CONFIRMED = (CANCEL, UNDO)
_PATIENCE = 120.0
# A program that keeps running this long has begun well.
_BEGUN = 3.0
_SHOWN = 2000


class PageActs:
    """`environ` is what the programs get that an act starts."""

    def __init__(self, acts: Acts, environ: Mapping[str, str], home: Home) -> None:
        self._environ = environ
        self._home = home
        self._acts: dict[str, Callable[[str, str], str | VerbCall]] = {
            PAUSE: lambda session, _subject: acts.pause(session),
            CANCEL: acts.cancel,
            RETRY: acts.retry,
            UNDO: acts.undo,
        }

    async def carry_out(self, act: str, session: str, subject: str, *, confirmed: bool) -> str:
        """Return what happened; raise with the reason if it is refused or fails."""
        if act not in self._acts:
            raise UsageError(f"the page cannot {act}; it can {', '.join(self._acts)}")
        if act in CONFIRMED and not confirmed:
            raise Conflict(f"{act} {session[:8]} {subject}".strip() + " was not confirmed")
        done = self._acts[act](session, subject)
        if isinstance(done, str):
            return done
        return await (self._begin(done, session) if done.front else self._run(done))

    async def _run(self, call: VerbCall) -> str:
        process = await start_beside(call, self._environ)
        try:
            output, _ = await asyncio.wait_for(process.communicate(), _PATIENCE)
        except TimeoutError:
            process.kill()
            await process.wait()
            raise Conflict(f"{call.argv[-1]} took longer than {_PATIENCE:.0f} s and was stopped") from None
        return _read_end(output, process.returncode)

    async def _begin(self, call: VerbCall, session: str) -> str:
        """Start what the full screen gives its terminal to, so that it outlives the page; its output goes to a file."""
        path = f"{self._home.session(session)}/resumed.log"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        try:
            process = await asyncio.create_subprocess_exec(
                *call.argv,
                cwd=call.cwd,
                env=dict(self._environ),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=handle,
                stderr=handle,
                start_new_session=True,
            )
        finally:
            os.close(handle)
        try:
            status = await asyncio.wait_for(process.wait(), _BEGUN)
        except TimeoutError:
            return f"resumed {session[:8]} in process {process.pid}; its output: {path}"
        with open(path, "rb") as file:  # noqa: ASYNC230 (a small file of ours)
            return _read_end(file.read(), status)


def _read_end(output: bytes, status: int | None) -> str:
    """Return the last words of a program; raise with them if it refused or failed."""
    text = strip_controls(output.decode("utf-8", "replace")[-_SHOWN:]).strip()
    if status:
        raise Conflict(text or f"it ended with status {status}")
    return text or "done"
