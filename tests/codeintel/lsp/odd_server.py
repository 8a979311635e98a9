"""A language server that misbehaves on demand: the first argument says how."""

import json
import sys
import time


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def receive():
    length = None
    while (line := sys.stdin.buffer.readline().strip()) or length is None:
        if not line and length is None:
            sys.exit(0)
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length))


def answer(message, how):
    method = message.get("method")
    if method == "initialize":
        if how == "mute":
            time.sleep(60)
        if how == "refuses":
            print("cannot find my runtime", file=sys.stderr, flush=True)
            sys.exit(3)
        capabilities = {"hoverProvider": True, "positionEncoding": "utf-16"}
        send({"id": message["id"], "result": {"capabilities": capabilities}})
        if how == "asks":
            item = [{"section": "python"}, {"section": "nothing.here"}]
            send({"id": "q1", "method": "workspace/configuration", "params": {"items": item}})
            send({"id": "q2", "method": "workspace/workspaceFolders"})
            send({"id": "q3", "method": "made/up"})
    elif method == "shutdown":
        problem = "params" in message
        send(
            {"id": message["id"], "error": {"code": 1, "message": "no"}}
            if problem
            else {"id": message["id"], "result": None}
        )
    elif method == "exit":
        sys.exit(0)
    elif method == "textDocument/didOpen":
        publish(message["params"]["textDocument"]["uri"], how)
    elif method == "textDocument/hover":
        hover(message, how)
    elif "method" not in message:
        HEARD[message["id"]] = message.get("result", message.get("error"))


HEARD = {}


def publish(uri, how):
    """In two portions, the second a while after the first or after the end of the work."""
    if how not in ("portions", "indexes"):
        return
    if how == "indexes":
        progress("begin")
    push(uri, "first")
    time.sleep(0.05)
    if how == "indexes":
        progress("end")
        time.sleep(0.4)
    push(uri, "first", "second")


def progress(kind):
    value = {"kind": kind, "title": "indexing"}
    send({"method": "$/progress", "params": {"token": "t", "value": value}})


def push(uri, *messages):
    start = {"line": 0, "character": 0}
    found = [{"range": {"start": start, "end": start}, "message": text} for text in messages]
    params = {"uri": uri, "diagnostics": found}
    send({"method": "textDocument/publishDiagnostics", "params": params})


def hover(message, how):
    if how == "dies":
        print("out of memory", file=sys.stderr, flush=True)
        sys.exit(9)
    if how == "hangs":
        time.sleep(60)
    if how == "works":  # says that it is busy, and never answers
        for _ in range(50):
            send({"method": "window/logMessage", "params": {"type": 3, "message": "busy"}})
            time.sleep(0.1)
    if how == "garbles":
        sys.stdout.buffer.write(b"Content-Length: 5\r\n\r\n{{{{{")
        sys.stdout.buffer.flush()
        time.sleep(60)
    while how == "asks" and len(HEARD) < 3:
        answer(receive(), how)
    text = json.dumps(HEARD) if how == "asks" else "odd"
    send({"id": message["id"], "result": {"contents": text}})


while True:
    answer(receive(), sys.argv[1])
