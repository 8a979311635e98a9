"""A program that speaks like Codex or Gemini CLI, for tests of its callers: the prompt says what it does.

The last line of the prompt is a list of orders, `sleep 3; say hello`, or the variable HELPER_ORDERS is
(HELPER_ORDERS_CODEX for one program alone). It writes a line per start to `starts` beside it, with its arguments and
prompt."""

import os
import sys

_PROGRAM = """
import json, os, re, signal, subprocess, sys, time
if "--version" in sys.argv:
    sys.exit(print("1.0"))
HERE = os.path.dirname(os.path.abspath(__file__))
asked = sys.stdin.read()
model = sys.argv[sys.argv.index("-m") + 1] if "-m" in sys.argv else ""
with open(HERE + "/starts", "a") as file:
    file.write(json.dumps({"argv": sys.argv[1:], "asked": asked, "model": model, "cwd": os.getcwd()}) + "\\n")

def tell(**event):
    print(json.dumps(event), flush=True)

def say(text):
    tell(type="item.completed", item={"id": "1", "type": "agent_message", "text": text})
    tell(type="message", role="assistant", content=text)

def end():
    tell(type="turn.completed", usage={"input_tokens": 3, "output_tokens": 4})
    tell(type="result", status="success", stats={"total_tokens": 7})
    sys.exit(0)

def fail(message):
    tell(type="turn.failed", error={"message": message})
    tell(type="result", status="error", error={"message": message}, stats={"total_tokens": 1})
    sys.exit(1)

tell(type="thread.started", thread_id="t")
orders = os.environ.get("HELPER_ORDERS_" + os.path.basename(__file__).upper(), os.environ.get("HELPER_ORDERS"))
if orders is None:
    orders = [line for line in asked.strip().splitlines() if not line.startswith("End with one") and line][-1]
for order in orders.split(";"):
    word, _, rest = order.strip().partition(" ")
    if word == "say":
        say(rest)
    elif word == "sleep":
        time.sleep(float(rest))
    elif word == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    elif word == "fork":
        child = subprocess.Popen(["sleep", "300"], start_new_session=True)
        open(HERE + "/child", "w").write(str(child.pid))
    elif word == "flood":
        line = json.dumps({"type": "item.started", "item": {"id": "2", "type": "x", "command": "y" * 9000}})
        for _ in range(int(float(rest) * 1e6 / len(line))):
            print(line)
    elif word == "long":
        say("z" * int(rest))
    elif word == "environ":
        say(str(os.environ.get(rest)))
    elif word == "printkey":
        print(os.environ[rest], file=sys.stderr)
        say("the key is " + os.environ[rest])
    elif word == "write":
        open(rest, "w").write("written by the helper\\n")
    elif word == "task":
        name = re.search(rest, asked)[1]
        open(name + ".txt", "w").write("by " + os.path.basename(__file__) + "\\n")
    elif word == "die":
        if not os.path.exists(HERE + "/died"):
            open(HERE + "/died", "w").close()
            os.kill(os.getpid(), 9)
    elif word == "only":
        if model != rest:
            fail("The model `" + model + "` does not exist or you do not have access to it.")
    elif word == "fail":
        fail(rest)
    elif word == "crash":
        sys.exit(int(rest))
end()
"""


class HelperPrograms:
    """A folder with such programs, for the front of a PATH."""

    def __init__(self, folder: str, *names: str) -> None:
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        for name in names:
            path = f"{folder}/{name}"
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!{sys.executable} -IS\n{_PROGRAM}")
            os.chmod(path, 0o755)

    def read(self, name: str) -> str:
        try:
            with open(f"{self.folder}/{name}", encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    @property
    def starts(self) -> "list[dict[str, object]]":
        import json

        return [json.loads(line) for line in self.read("starts").splitlines()]
