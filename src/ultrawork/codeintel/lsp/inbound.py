"""What a language server asks of us and tells us, as two tables."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .client import Client

_UNKNOWN_METHOD = -32601


class Publication:
    """Diagnostics that a server pushed for one file, for a version of it if it says so."""

    __slots__ = ("items", "version")

    def __init__(self, items: "list[dict[str, Any]]", version: int | None) -> None:
        self.items = items
        self.version = version


def handle(client: "Client", message: "Mapping[str, Any]") -> None:
    method, params = message["method"], message.get("params")
    params = params if isinstance(params, dict) else {}
    if "id" not in message:
        told = _TOLD.get(method)
        if told is not None:
            told(client, params)
        return
    asked = _ASKED.get(method) or (_nothing if method.endswith("/refresh") else None)
    if asked is None:
        error = {"code": _UNKNOWN_METHOD, "message": f"{method} is not known here"}
        client.send({"id": message["id"], "error": error})
    else:
        client.send({"id": message["id"], "result": asked(client, params)})


def setting(settings: "Mapping[str, Any]", section: str) -> "Any":
    """`python.analysis` of nested settings; None where nothing is set, as the protocol wants it."""
    value: Any = settings
    for name in section.split(".") if section else ():
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _configuration(client: "Client", params: "dict[str, Any]") -> "Any":
    return [setting(client.settings, item.get("section") or "") for item in params.get("items", [])]


def _register(client: "Client", params: "dict[str, Any]") -> None:
    for item in params.get("registrations", []):
        client.registered[str(item.get("id"))] = _feature(str(item.get("method")))
    client.news.set()


def _unregister(client: "Client", params: "dict[str, Any]") -> None:
    for item in params.get("unregisterations", []):  # the protocol's own spelling
        client.registered.pop(str(item.get("id")), None)


def _feature(method: str) -> str:
    """The capability that a method belongs to: `textDocument/diagnostic` is `diagnosticProvider`."""
    return method.rpartition("/")[2] + "Provider"


def _folders(client: "Client", _: "dict[str, Any]") -> "Any":
    from .documents import uri_of

    return [{"uri": uri_of(client.folder), "name": client.folder.rpartition("/")[2]}]


def _apply_edit(client: "Client", params: "dict[str, Any]") -> "Any":
    """Kept for whoever ran the command; files are written by `edits` alone."""
    client.offered.append(params.get("edit") or {})
    return {"applied": True}


def _nothing(_: "Client", __: "dict[str, Any]") -> None:
    return None


def _publish(client: "Client", params: "dict[str, Any]") -> None:
    items = params.get("diagnostics") or []
    client.published[str(params.get("uri"))] = Publication(items, params.get("version"))
    client.news.set()


def _progress(client: "Client", params: "dict[str, Any]") -> None:
    value = params.get("value") or {}
    token = str(params.get("token"))
    if value.get("kind") == "begin":
        client.working[token] = str(value.get("title", ""))
    elif value.get("kind") == "end":
        client.working.pop(token, None)
    client.news.set()


def _indexing(client: "Client", _: "dict[str, Any]") -> None:
    """Intelephense has a word of its own for being at work."""
    client.working["indexing"] = "indexing"


def _indexed(client: "Client", _: "dict[str, Any]") -> None:
    client.working.pop("indexing", None)
    client.news.set()


_ASKED: "dict[str, Callable[[Client, dict[str, Any]], Any]]" = {
    "client/registerCapability": _register,
    "client/unregisterCapability": _unregister,
    "window/showDocument": lambda _, __: {"success": False},
    "window/showMessageRequest": _nothing,
    "window/workDoneProgress/create": _nothing,
    "workspace/applyEdit": _apply_edit,
    "workspace/configuration": _configuration,
    "workspace/workspaceFolders": _folders,
}

_TOLD: "dict[str, Callable[[Client, dict[str, Any]], None]]" = {
    "$/progress": _progress,
    "indexingEnded": _indexed,
    "indexingStarted": _indexing,
    "textDocument/publishDiagnostics": _publish,
}
