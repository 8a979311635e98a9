"""Where a cluster is: its Temporal server, its namespace, the git remote of its code; and the names of its queues and
refs.

Secrets come from files and the environment, never from arguments or settings, which are visible."""

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..core.agent_variables import CLUSTER_SECRETS
from ..core.check import quote
from ..core.errors import NotFound, Trouble, UsageError
from ..engine.agents.executor import say_nothing
from ..store.paths import read_version
from ..store.settings import Settings
from ..store.witness import ClusterMachine
from .intake import MACHINE, read_fields

if TYPE_CHECKING:
    from temporalio.client import Client

API_KEY = "TEMPORAL_API_KEY"
API_KEY_FILE = "TEMPORAL_API_KEY_FILE"
# Names that Temporal's own programs use.
TLS_FILES = {
    "server_root_ca_cert": "TEMPORAL_TLS_SERVER_CA_CERT_PATH",
    "client_cert": "TEMPORAL_TLS_CLIENT_CERT_PATH",
    "client_private_key": "TEMPORAL_TLS_CLIENT_KEY_PATH",
}
TLS = "TEMPORAL_TLS"
GIT_TOKEN = "ULTRAWORK_GIT_TOKEN"  # noqa: S105 (the name of a variable)
GIT_TOKEN_FILE = "ULTRAWORK_GIT_TOKEN_FILE"  # noqa: S105 (the name of a variable)
GIT_USER = "ULTRAWORK_GIT_USER"
_PATIENCE = 10.0
_SOON, _PAUSE = 1.0, 0.2
# Errors that a starting server never reports, so waiting is useless.
_FINAL = ("Certificate", "Unauthenticated", "PermissionDenied", "InvalidArgument", "InvalidUri")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlace:
    """A cluster. `lease` is the seconds without a sign of life after which another machine gets an attempt."""

    address: str
    remote: str
    namespace: str = "default"
    label: str = ""
    lease: float = 30.0


def read_place(settings: Settings) -> ClusterPlace:
    """Refused with a sentence if something is missing."""
    return ClusterPlace(
        address=require_address(str(settings["cluster.temporal"])),
        remote=require_remote(str(settings["cluster.remote"])),
        namespace=str(settings["cluster.namespace"]),
        label=str(settings["cluster.label"]),
        lease=float(settings["cluster.lease"]),
    )


def require_address(address: str) -> str:
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise UsageError(f"the address of Temporal is {quote(address)}; give HOST:PORT, as in cluster.temporal")
    return address


def require_remote(remote: str) -> str:
    """A URL that git can reach from everywhere. One with a password in it would be written down in many places."""
    if not remote:
        raise UsageError("no git remote for the cluster; set cluster.remote to a URL that all machines reach")
    if remote.startswith("-") or "::" in remote:
        raise UsageError(f"the remote {quote(remote)} is not a URL or a path")
    if "://" in remote and not remote.startswith("ssh://") and urlsplit(remote).username:
        raise UsageError(f"cluster.remote contains a user or a token; remove it and set {GIT_TOKEN_FILE} instead")
    return remote


def name_queue(backend: str, label: str = "", host: str = "", account: str = "") -> str:
    """Return a queue by what a machine can do: our version, an agent program, a label or the machine itself, whose
    account."""
    kind = f"-host-{host}" if host else f"-label-{label}" if label else ""
    paid = f"-account-{account}" if account else ""
    return f"ultrawork-{read_version()}-{backend}{kind}{paid}"


def make_worker_name(machine: ClusterMachine) -> str:
    """Return a worker's name in its queues: everything to know about it beforehand."""
    known = (machine.name, str(machine.slots), machine.labels, machine.version, machine.accounts)
    return "|".join(known)


def read_worker_name(text: str, now: float) -> ClusterMachine | None:
    """Parse a worker's name; None if it is not ours. Anyone who reaches the server may name themselves anything."""
    try:
        fields = dict(zip(MACHINE, text.split("|"), strict=True))
        known = read_fields(fields, MACHINE, "the worker's name")
    except (UsageError, ValueError):
        return None
    return ClusterMachine(**known, seen_at=now)


def read_secret(environ: Mapping[str, str], name: str, file_name: str) -> str:
    path = environ.get(file_name, "")
    if not path:
        return environ.get(name, "")
    return _read(path, file_name).decode("utf-8", "replace").strip()


def _read(path: str, variable: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise NotFound(f"{variable}: could not read {quote(path)} ({error.strerror})") from None


def hide_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for agents, without a worker's keys to the cluster."""
    return {name: value for name, value in environ.items() if name not in CLUSTER_SECRETS}


async def connect(
    place: ClusterPlace,
    environ: Mapping[str, str],
    identity: str = "",
    *,
    say: Callable[[str], None] = say_nothing,
    patience: float = _PATIENCE,
) -> "Client":
    """Connect; wait for a starting server and say so; then raise a sentence."""
    require_temporal()
    from temporalio.service import RPCError

    reaching = asyncio.ensure_future(_reach(place, environ, identity, patience))
    await asyncio.wait({reaching}, timeout=min(_SOON, patience / 2))
    if not reaching.done():
        say(f"Temporal at {place.address} does not answer yet; waiting for {patience:.0f} s at most")
    try:
        return await asyncio.wait_for(reaching, patience)
    except (RuntimeError, TimeoutError, RPCError) as error:
        raise Trouble(f"Temporal at {place.address} {_describe(error)}") from None


async def _reach(place: ClusterPlace, environ: Mapping[str, str], identity: str, patience: float) -> "Client":
    """Connect: its port is open before it answers, and it answers before it knows its namespaces."""
    from temporalio.client import Client
    from temporalio.service import RPCError

    how = {
        "namespace": place.namespace,
        "identity": identity or None,
        "api_key": read_secret(environ, API_KEY, API_KEY_FILE) or None,
        "tls": _read_tls(environ),
        "runtime": _make_quiet(),
    }
    end = time.monotonic() + patience - _SOON
    while True:
        try:
            client = await Client.connect(place.address, **how)
            await _ask_namespace(client)
        except (RuntimeError, RPCError) as error:
            if time.monotonic() >= end or not _may_pass(error):
                raise
        else:
            return client
        await asyncio.sleep(_PAUSE)


async def _ask_namespace(client: "Client") -> None:
    """Whether it is there. A key may be good for all that we do and not for this question."""
    from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
    from temporalio.service import RPCError, RPCStatusCode

    question = DescribeNamespaceRequest(namespace=client.namespace)
    try:
        await client.workflow_service.describe_namespace(question)
    except RPCError as error:
        if error.status != RPCStatusCode.PERMISSION_DENIED:
            raise


def _may_pass(error: Exception) -> bool:
    from temporalio.service import RPCError, RPCStatusCode

    if isinstance(error, RPCError):
        return error.status in (RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.NOT_FOUND)
    return not any(word in str(error) for word in _FINAL)


def _describe(error: Exception) -> str:
    """Describe a server's error, without names of its library's internals."""
    from temporalio.service import RPCError, RPCStatusCode

    lines = str(error).splitlines() or ["no answer"]
    unknown = isinstance(error, RPCError) and error.status == RPCStatusCode.UNAUTHENTICATED
    if unknown or "Unauthenticated" in lines[0]:
        return f"rejected our credentials; set {API_KEY_FILE} to a valid key"
    if isinstance(error, RPCError):
        return f"rejected us: {error.message[:100]}"
    if "PermissionDenied" in lines[0]:
        return f"rejected us: the key in {API_KEY_FILE} has no permission there"
    gone = "no server listens there" if "ConnectionRefused" in lines[0] else lines[0][:80]
    return f"is unreachable: {gone}"


def require_temporal() -> Any:
    try:
        from temporalio import client
    except ImportError:
        raise NotFound("the package temporalio is not installed; run pip install temporalio") from None
    return client


def _make_quiet() -> Any:
    """Silence the library, which logs every retried call; we report what the user needs."""
    from temporalio.runtime import LoggingConfig, Runtime, TelemetryConfig, TelemetryFilter

    only_errors = TelemetryFilter(core_level="ERROR", other_level="ERROR")
    return Runtime(telemetry=TelemetryConfig(logging=LoggingConfig(filter=only_errors)))


def _read_tls(environ: Mapping[str, str]) -> Any:
    given = {key: environ[name] for key, name in TLS_FILES.items() if environ.get(name)}
    if not given:
        return environ.get(TLS, "").lower() in ("1", "true") or bool(environ.get(API_KEY)) or None
    from temporalio.service import TLSConfig

    return TLSConfig(**{key: _read(path, TLS_FILES[key]) for key, path in given.items()})


def name_host(environ: Mapping[str, str]) -> str:
    return environ.get("ULTRAWORK_HOST") or os.uname().nodename.partition(".")[0]
