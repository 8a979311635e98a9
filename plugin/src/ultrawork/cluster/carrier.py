"""Temporal: one standalone activity per attempt, started once, awaited, canceled.

A server that does not answer is asked again; only its own statement makes an attempt lost."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from ..clients.headless.attempt import Attempt
from ..core.errors import Conflict, UltraworkError, UsageError
from ..core.wording import cut, join_lines
from ..engine.agents.executor import CANCELLED, CRASHED, DEADLINE
from ..store.witness import ClusterMachine
from .intake import BEAT, read_fields
from .job import ACTIVITY, JobResult
from .keys import ClusterKey
from .place import ClusterPlace, connect, name_queue, read_worker_name

if TYPE_CHECKING:
    from temporalio.client import Client

Answer = TypeVar("Answer")

_GRACE = 900.0  # seconds beside an agent's own: fetching, setting up, pushing
_QUEUED = 7 * 86_400.0  # seconds that an attempt may wait for a machine
_PAUSES = (0.1, 0.5, 1.0, 2.0, 5.0)
_BEAT_PATIENCE = 5.0
_SHOWN = 200


class CarrierLost(UltraworkError):  # noqa: N818 (it is not an error)
    """The machine that had it is gone, or it never started; there will be no result."""


class Carrier:
    """Every id is that of an attempt, its epoch included."""

    _client: "Client"

    def __init__(self, place: ClusterPlace, environ: Mapping[str, str], signer: ClusterKey) -> None:
        self._place = place
        self._environ = environ
        self._signer = signer

    async def open(self, say: Callable[[str], None]) -> None:
        self._client = await connect(self._place, self._environ, "coordinator", say=say)

    async def start(self, attempt: Attempt, document: Mapping[str, Any]) -> None:
        from temporalio.common import ActivityIDConflictPolicy, ActivityIDReusePolicy, Priority, RetryPolicy
        from temporalio.exceptions import ActivityAlreadyStartedError

        async def begin() -> None:
            try:
                await self._client.start_activity(
                    ACTIVITY,
                    document,
                    id=attempt.key,
                    task_queue=name_queue(attempt.backend, self._place.label, account=attempt.account),
                    schedule_to_start_timeout=timedelta(seconds=_QUEUED),
                    start_to_close_timeout=timedelta(seconds=attempt.seconds + _GRACE),
                    heartbeat_timeout=timedelta(seconds=self._place.lease),
                    # All retries are ours: each has its own epoch, and with it an id and refs.
                    retry_policy=RetryPolicy(maximum_attempts=1),
                    id_conflict_policy=ActivityIDConflictPolicy.USE_EXISTING,
                    id_reuse_policy=ActivityIDReusePolicy.REJECT_DUPLICATE,
                    priority=Priority(fairness_key=attempt.session[:64]),
                )
            except ActivityAlreadyStartedError:
                pass  # it has even ended

        await _insist(begin)

    async def is_known(self, key: str) -> bool:
        async def ask() -> bool:
            try:
                await self._client.get_activity_handle(key).describe()
            except Exception as error:
                if _is_missing(error):
                    return False
                raise
            return True

        return await _insist(ask)

    async def wait(self, key: str) -> JobResult:
        """Wait for the end; raise CarrierLost if it cannot end any more."""
        handle = self._client.get_activity_handle(key)
        result = await _insist(lambda: _settle(handle, self._signer, key))
        if result.why == CRASHED and not result.output:
            raise CarrierLost(result.detail or "its worker could not run it")
        return result

    async def cancel(self, key: str) -> None:
        async def ask() -> None:
            try:
                await self._client.get_activity_handle(key).cancel(reason="cancelled")
            except Exception as error:
                if not _is_missing(error):
                    raise

        await _insist(ask)

    async def list_machines(self, backend: str, now: float) -> list[ClusterMachine]:
        """Return machines that ask for attempts of this kind; empty if no one answers at once."""
        from temporalio.api.enums.v1 import TaskQueueType
        from temporalio.api.taskqueue.v1 import TaskQueue
        from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest

        request = DescribeTaskQueueRequest(
            namespace=self._client.namespace,
            task_queue=TaskQueue(name=name_queue(backend, self._place.label)),
            task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
        )
        try:
            answer = await asyncio.wait_for(self._client.workflow_service.describe_task_queue(request), _BEAT_PATIENCE)
        except Exception:  # noqa: BLE001 (it is only shown)
            return []
        worker_names = (read_worker_name(poller.identity, now) for poller in answer.pollers)
        return list(
            {
                cluster_machine.name: cluster_machine for cluster_machine in worker_names if cluster_machine is not None
            }.values()
        )

    async def read_beat(self, key: str) -> dict[str, Any]:
        """Return the newest sign of life, empty if there is none; it is not waited for. Raise UsageError or Conflict
        if no worker of ours sent it."""
        from temporalio.api.workflowservice.v1 import DescribeActivityExecutionRequest

        request = DescribeActivityExecutionRequest(
            namespace=self._client.namespace, activity_id=key, include_heartbeat_details=True
        )
        try:
            answer = await asyncio.wait_for(
                self._client.workflow_service.describe_activity_execution(request), _BEAT_PATIENCE
            )
            payloads = answer.info.heartbeat_details.payloads
            decoded = await self._client.data_converter.decode(payloads) if payloads else []
        except Exception:  # noqa: BLE001 (whatever it is: the wait for its end will meet it too)
            return {}
        if not decoded:
            return {}
        beat = self._signer.unseal_report(decoded[0], key, "the heartbeat")
        return read_fields(beat, BEAT, "the heartbeat", ("machine",))


async def _settle(handle: Any, signer: ClusterKey, key: str) -> JobResult:
    from temporalio import exceptions
    from temporalio.client import ActivityFailureError

    try:
        return JobResult.unseal(await handle.result(), signer, key)
    except (UsageError, Conflict) as error:
        raise CarrierLost(f"its machine sent an invalid result: {error}") from None
    except ActivityFailureError as error:
        cause = error.cause
        if isinstance(cause, exceptions.CancelledError):
            return JobResult(None, CANCELLED)
        kind = cause.type if isinstance(cause, exceptions.TimeoutError) else None
        if kind == exceptions.TimeoutType.START_TO_CLOSE:
            return JobResult(None, DEADLINE)
        silent = kind == exceptions.TimeoutType.HEARTBEAT
        reason = "its machine stopped responding" if silent else join_lines(str(cause or error))
        raise CarrierLost(cut(reason, _SHOWN)) from None


def _is_missing(error: BaseException) -> bool:
    from temporalio.service import RPCError, RPCStatusCode

    return isinstance(error, RPCError) and error.status == RPCStatusCode.NOT_FOUND


async def _insist(ask: Callable[[], Awaitable[Answer]]) -> Answer:
    """Through restarts of the server and breaks of the network; what is wrong with the question is raised."""
    from temporalio.service import RPCError, RPCStatusCode

    passing = (
        RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.RESOURCE_EXHAUSTED,
        RPCStatusCode.ABORTED, RPCStatusCode.INTERNAL, RPCStatusCode.UNKNOWN, RPCStatusCode.CANCELLED,
    )  # fmt: skip
    tries = 0
    while True:
        try:
            return await ask()
        except RPCError as error:
            if error.status not in passing:
                raise CarrierLost(f"Temporal rejected it: {error.message[:160]}") from None
        await asyncio.sleep(_PAUSES[min(tries, len(_PAUSES) - 1)])
        tries += 1


async def read_server_time(client: Any, queue: str, key: str) -> float:
    """Return the server's time of an order that is withdrawn at once."""
    handle = await client.start_activity(
        f"{ACTIVITY}.clock", id=key, task_queue=f"{queue}-clock", start_to_close_timeout=timedelta(seconds=10)
    )
    description = await handle.describe()
    await handle.terminate(reason="the clock was read")
    when: float = description.schedule_time.timestamp()
    return when
