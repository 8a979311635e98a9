"""Real TLS on loopback: self-signed certificates, and a TLS proxy before a server without it.

Temporal's dev server speaks no TLS; behind the proxy is the same server."""

import asyncio
import ssl
import subprocess
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

_PART = 1 << 16


class Certificate:
    """For 127.0.0.1; the same file is what others trust."""

    def __init__(self, folder: str, name: str) -> None:
        self.path, self.key = f"{folder}/{name}.pem", f"{folder}/{name}.key"
        argv = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        argv += ["-nodes", "-days", "2", "-subj", f"/CN={name}", "-keyout", self.key]
        # One that may sign others is not accepted as a server's.
        argv += ["-addext", "basicConstraints=critical,CA:FALSE"]
        argv += ["-addext", "subjectAltName=IP:127.0.0.1", "-out", self.path]
        subprocess.run(argv, check=True, capture_output=True)


class TlsDoor:
    """Uses the certificate of `ours`, and accepts only clients with `theirs`."""

    def __init__(self, port: int, ours: Certificate, theirs: Certificate) -> None:
        self._to = port
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(ours.path, ours.key)
        self._context.load_verify_locations(theirs.path)
        self._context.verify_mode = ssl.CERT_REQUIRED
        self._context.set_alpn_protocols(["h2"])
        self._server: asyncio.Server
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.port = 0

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> "TlsDoor":
        self._thread.start()
        opened = asyncio.run_coroutine_threadsafe(self._open(), self._loop)
        self.port = opened.result(10)
        return self

    def __exit__(
        self, kind: "type[BaseException] | None", error: "BaseException | None", trace: "TracebackType | None"
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _open(self) -> int:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0, ssl=self._context)
        found: int = self._server.sockets[0].getsockname()[1]
        return found

    async def _close(self) -> None:
        self._server.close()
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to)
        await asyncio.gather(_copy(reader, far_writer), _copy(far_reader, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(_PART):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
