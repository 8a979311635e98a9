"""
Gates in the wild: real projects, as package registries bring them, with no file of ours in them.

bench/wild.toml says for each project what its maintainers document. A project is fetched once (Debian's source
packages, PyPI's and npm's), read as it comes, prepared as its documentation says, and read again; what is found
is held against what is documented. With --run those that name a change are also verified: unchanged, after an
honest change, after a break, and after the break with the tests that notice it put away. Each verdict is held
against the project's own command, run by hand. What came out is kept in bench/wild.json; --write makes
bench/wild.md of it.
"""

import argparse
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLUGIN = os.path.join(REPOSITORY, "plugin")
sys.path.insert(0, os.path.join(PLUGIN, "src"))

from ultrawork.core.verdict.gate import TEST  # noqa: E402 (the path above makes it importable)
from ultrawork.gates.find.project import survey_gates  # noqa: E402
from ultrawork.gates.trees.files import DiskFiles  # noqa: E402

LIST = os.path.join(REPOSITORY, "bench/wild.toml")
RESULTS = os.path.join(REPOSITORY, "bench/wild.json")
PAGE = os.path.join(REPOSITORY, "bench/wild.md")
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
FETCH, SETUP, BARE, VERIFY = 300, 600, 240, 600
KEPT = re.compile(r"(PATH|LANG|PIP_.*|NPM_CONFIG_.*|UV_.*|SSL_CERT_.*|.*_PROXY)", re.IGNORECASE)
PASS, FAIL, UNVERIFIED = "PASS", "FAIL", "UNVERIFIED"


class Workshop:
    """The folder where projects are kept, and programs are run with a home of its own."""

    def __init__(self, root):
        self.root = root
        os.makedirs(f"{root}/home", exist_ok=True)

    def environ(self, project=None):
        kept = {name: value for name, value in os.environ.items() if KEPT.fullmatch(name)}
        home = f"{self.root}/home"
        rust = {"RUSTUP_HOME": os.path.expanduser("~/.rustup")}
        found = {**rust, **kept, "HOME": home, "ULTRAWORK_HOME": f"{home}/ultrawork"}
        if project:
            own = f"{self.folder(project)}/.venv/bin"
            found["PATH"] = f"{own}:{found['PATH']}"
        return found

    def folder(self, project):
        return f"{self.root}/{project['name'].replace('/', '-')}"

    def run(self, command, project=None, *, where="", limit=SETUP):
        """Exit code and output; 124 if it did not finish in time."""
        argv = ["sh", "-c", command] if isinstance(command, str) else command
        cwd = where or (self.folder(project) if project else self.root)
        done = subprocess.Popen(
            argv,
            cwd=cwd,
            env=self.environ(project),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output = done.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            # With all that it started: a suite that goes on would slow down what is measured next.
            os.killpg(done.pid, signal.SIGKILL)
            return 124, done.communicate()[0].decode(errors="replace")
        except KeyboardInterrupt:
            os.killpg(done.pid, signal.SIGKILL)  # its session is its own: Ctrl-C does not reach it
            raise
        return done.returncode, output.decode(errors="replace")

    def ultrawork(self, project, *words):
        argv = [f"{PLUGIN}/bin/ultrawork", *words, "--json"]
        exit_, output = self.run(argv, project, limit=VERIFY)
        start = output.find('{"')
        return exit_, json.loads(output[start:]).get("data") or {} if start >= 0 else {}

    def fetch(self, project):
        folder = self.folder(project)
        if os.path.isdir(folder):
            return
        store = tempfile.mkdtemp(dir=self.root)
        exit_, output = self.run(FETCHERS[project["from"]](self, project), where=store, limit=FETCH)
        packed = [name for name in os.listdir(store) if ".tar" in name or name.endswith(".tgz")]
        if exit_ != 0 or not packed:
            raise OSError(f"{project['name']} was not fetched: {last_line(output)}")
        os.mkdir(f"{store}/own")
        unpack = ["tar", "xf", packed[0], "--no-same-owner", "--strip-components=1", "-C", "own"]
        self.run(unpack, where=store, limit=FETCH)
        os.rename(f"{store}/own", folder)
        shutil.rmtree(store)
        commit(self, project, "as it comes")

    def prepare(self, project, step):
        """What the documentation says comes first, once; its output is no part of the tree."""
        done = f"{self.folder(project)}.{step}"
        if os.path.exists(done) or not project.get(step):
            return ""
        for command in project[step]:
            exit_, output = self.run(command, project)
            if exit_ != 0:
                return f"{command}: {last_line(output)}"
        made = self.run("git ls-files --others --exclude-standard --directory", project)[1]
        with open(f"{self.folder(project)}/.git/info/exclude", "a", encoding="utf-8") as file:
            file.write("".join(f"/{name}\n" for name in made.splitlines()))
        commit(self, project, "prepared")
        open(done, "w", encoding="utf-8").close()
        return ""


def commit(shop, project, message):
    name = "-c user.name=wild -c user.email=wild@localhost"
    shop.run(f"git init -q . && git add -A && git {name} commit -q --allow-empty -m '{message}'", project)


def fetch_debian(shop, project):
    """A list of sources of our own, beside the machine's."""
    apt = f"{shop.root}/apt"
    if not os.path.isdir(apt):
        for folder in ("parts", "lists/partial", "cache/archives/partial"):
            os.makedirs(f"{apt}/{folder}")
        for path in glob.glob("/etc/apt/sources.list.d/*.sources"):
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"^Types:.*$", "Types: deb-src", file.read(), flags=re.MULTILINE)
            with open(f"{apt}/parts/{os.path.basename(path)}", "w", encoding="utf-8") as file:
                file.write(text)
        shop.run(["apt-get", *_apt(apt), "update"], limit=FETCH)
    wanted = f"{project['name']}={project['version']}"
    return ["apt-get", *_apt(apt), "source", "--download-only", "--only-source", "--tar-only", wanted]  # fmt: skip


def _apt(apt):
    places = {"Etc::SourceList": "/dev/null", "Etc::SourceParts": f"{apt}/parts"}
    places |= {"State::Lists": f"{apt}/lists", "Cache": f"{apt}/cache"}
    given = [f"Dir::{name}={value}" for name, value in places.items()]
    return [word for one in [*given, "APT::Sandbox::User=root"] for word in ("-o", one)]


def fetch_pypi(_shop, project):
    wanted = f"{project['name']}=={project['version']}"
    return [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", ".", wanted]  # fmt: skip


def fetch_npm(_shop, project):
    return ["npm", "pack", "--silent", f"{project['name']}@{project['version']}"]


FETCHERS = {"debian": fetch_debian, "pypi": fetch_pypi, "npm": fetch_npm}


def look(shop, project):
    """What is found, compared with what is documented."""
    started = time.perf_counter()
    found = survey_gates(DiskFiles(shop.folder(project)), None, whole=False)
    took = (time.perf_counter() - started) * 1000
    gates = {gate.name: gate.command for gate in found.gates}
    test = next((gate.command for gate in found.gates if gate.kind == TEST), None)
    known = {project["test"], *project.get("same", ())}
    # A program of the project's own environment is the same program.
    others = [plain(command) for command in gates.values() if command != test]
    documented = project.get("also", [])
    offered = " ".join(offer.command for offer in found.ci.offers)
    return {
        "gates": gates,
        "test": test,
        "right": plain(test or "") in known,
        "hint": next((f"{name}: {why}" for name, why in found.left_out), ""),
        "missed": [one for one in documented if one not in others and one not in offered],
        "offered": [one for one in documented if one not in others and one in offered],
        "invented": [one for one in others if one not in documented],
        "milliseconds": round(took),
    }


def plain(command):
    return command.replace(".venv/bin/", "")


CASES = ("unchanged", "honest", "break", "away")


def execute(shop, project, gates):
    """The verdict of each case, and what the project's own commands say to the same files."""
    test = gates["test"]
    others = {name: command for name, command in gates["gates"].items() if command != test}
    found = {}
    for case in CASES:
        if case == "honest" and found["unchanged"]["truth"] != "green":
            break
        # Tests that lie in the changed file itself, or cannot be taken out of a build, stay.
        if case == "away" and not project["away"]:
            break
        shop.run("git reset -q --hard && git clean -qfd", project)
        change(shop, project, case)
        exit_, output = shop.run(test, project, limit=BARE)
        truth = "late" if exit_ == 124 else "green" if exit_ == 0 else "red"
        # What else is red upstream is rightly FAIL, and taken for granted where a change is measured.
        red = [name for name in others if case == "unchanged" and shop.run(others[name], project)[0]]
        words = [] if case == "unchanged" else ["--baseline", "HEAD"]
        started = time.perf_counter()
        _, verdict = shop.ultrawork(project, "verify", "--fresh", *words)
        said = verdict.get("verdict", "nothing")
        found[case] = {
            "truth": truth,
            "red": red,
            "own": last_line(output)[:100],
            "verdict": said,
            "strength": verdict.get("strength") or "",
            "seconds": round(time.perf_counter() - started, 1),
            "findings": [one.get("what", "")[:160] for one in verdict.get("findings", [])][:4],
            "judged": judge(case, "red" if red else truth, said),
        }
    shop.run("git reset -q --hard && git clean -qfd", project)
    return found


def change(shop, project, case):
    if case == "unchanged":
        return
    asked = project["honest"] if case == "honest" else project["break"]
    path = os.path.join(shop.folder(project), asked["file"])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if asked["old"] not in text:
        raise LookupError(f"{project['name']}: {asked['file']} has no {asked['old']!r}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(asked["old"], asked["new"], 1))
    if case == "away":
        for name in project["away"]:
            os.remove(os.path.join(shop.folder(project), name))


def judge(case, truth, said):
    """right, or what is wrong with a verdict."""
    if case in ("break", "away"):
        return "false PASS" if said == PASS else "right"
    if said == FAIL:
        return "false FAIL" if truth == "green" else "right"
    if said == PASS:
        return "right" if truth == "green" else "false PASS"
    return "undecided" if truth == "green" else "right"


def last_line(output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    plain_text = re.sub(r"\x1b\[[\d;]*m|(?<![\w.])/\S+/|https?://\S+", "", lines[-1] if lines else "")
    return plain_text.strip(" =") or "no output"


def render(results):
    """The tables of the page, and the figures above them."""
    rows = list(results.values())
    ran = [row for row in rows if row.get("ran")]
    right = sum(row["found"]["right"] for row in rows)
    taken = [row for row in rows if row["found"]["test"]]
    cases = [case for row in ran for case in row["ran"].values()]
    wrong = {what: sum(case["judged"] == what for case in cases) for what in ("false PASS", "false FAIL", "undecided")}
    others = sum(len(row["found"]["gates"]) - bool(row["found"]["test"]) for row in rows)
    invented = sum(len(row["found"]["invented"]) for row in rows)
    precise = right + others - invented
    whole = len(taken) + others
    lines = [
        f"{len(rows)} projects of {len({row['kind'] for row in rows})} kinds. The test gate is the documented one in {right}: "
        f"recall {100 * right / len(rows):.0f} %. Of {whole} gates found {precise} are documented or run by CI: "
        f"precision {100 * precise / whole:.0f} %.",
        "",
        f"{len(ran)} of them executed, {len(cases)} verdicts: {wrong['false PASS']} false PASS, {wrong['false FAIL']} false FAIL, "
        f"{wrong['undecided']} undecided where the project's own command is green.",
        "",
        "| project | kind | documented test | found | other gates | missed | offered | invented |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [render_found(row) for row in rows]
    lines += ["", "Verdicts. After each word, what the project's own command said to the same files.", ""]
    lines += ["| project | unchanged | honest change | break | break, its tests put away |"]
    lines += ["|---|---|---|---|---|", *(render_ran(row) for row in ran)]
    left = [row["name"] for row in rows if not row.get("ran")]
    lines += ["", f"For finding only: {', '.join(left)}."]
    states = sorted({row.get("code") or "" for row in ran})
    told = {one: [row["name"] for row in ran if (row.get("code") or "") == one] for one in states}
    lines += ["", "Code that gave these verdicts: " + "; ".join(f"`{one}` {', '.join(names)}" if one else f"earlier code {', '.join(names)}" for one, names in told.items()) + "."]  # fmt: skip
    return "\n".join(lines)


def render_found(row):
    found = row["found"]
    test = f"`{found['test']}`" if found["test"] else f"none; {found['hint']}"
    mark = "" if found["right"] else " (**differs**)"
    others = ", ".join(f"`{c}`" for c in found["gates"].values() if c != found["test"])
    cells = [
        f"{row['name']} {row['version']}",
        row["kind"],
        f"`{row['test']}` ({row['where']})",
        test + mark,
        others,
        *(", ".join(f"`{c}`" for c in found[key]) for key in ("missed", "offered", "invented")),
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def render_ran(row):
    cells = [row["name"]]
    for case in CASES:
        one = row["ran"].get(case)
        wrong = "" if one is None or one["judged"] == "right" else f", **{one['judged']}**"
        strong = f", {one['strength']}" if one and one["strength"] else ""
        own = ", ".join([one["truth"], *(f"{name} red" for name in one.get("red", ()))]) if one else ""
        cells.append(f"{one['verdict']}{strong} ({own}){wrong}" if one else "")
    return "| " + " | ".join(cells) + " |"


def write_page(results):
    with open(PAGE, encoding="utf-8") as file:
        before, _, rest = file.read().partition(BEGIN)
    after = rest.partition(END)[2]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n{render(results)}\n{END}{after}")


def read_json(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def save(projects, results):
    order = [project["name"] for project in projects]
    kept = {name: results[name] for name in order if name in results}
    with open(RESULTS, "w", encoding="utf-8") as file:
        json.dump(kept, file, indent=1, ensure_ascii=False)
        file.write("\n")
    return kept


def measure(shop, project, before, *, run):
    shop.fetch(project)
    trouble = shop.prepare(project, "setup") or (run and shop.prepare(project, "install")) or ""
    row = {key: project[key] for key in ("name", "version", "kind", "test", "where")}
    row["found"] = look(shop, project)
    row["ran"], row["code"] = before.get("ran"), before.get("code", "")
    if run and "break" in project and row["found"]["test"]:
        row["ran"] = execute(shop, project, row["found"])
        row["code"] = shop.run("git rev-parse --short=8 HEAD", where=REPOSITORY)[1].strip()
    told = {case: f"{one['verdict']}/{one['truth']}" for case, one in (row["ran"] or {}).items()}
    print(project["name"], row["found"]["test"], row["found"]["right"], told, trouble, flush=True)
    return row


def main():
    options = argparse.ArgumentParser(description=__doc__)
    default = f"{tempfile.gettempdir()}/ultrawork-wild"
    options.add_argument("--folder", default=default, help="where projects are kept")
    options.add_argument("--run", action="store_true", help="also verify those that name a change")
    options.add_argument("--write", action="store_true", help="put the results into the page")
    options.add_argument("names", nargs="*", help="only these projects")
    given = options.parse_args()
    with open(LIST, "rb") as file:
        projects = tomllib.load(file)["project"]
    shop = Workshop(os.path.abspath(given.folder))
    results = read_json(RESULTS)
    for project in projects:
        if given.names and project["name"] not in given.names:
            continue
        try:
            before = results.get(project["name"], {})
            results[project["name"]] = measure(shop, project, before, run=given.run)
        except (OSError, LookupError) as error:
            print(error, file=sys.stderr)
        results = save(projects, results)
    if given.write:
        write_page(results)
    wrong = [case for row in results.values() for case in (row.get("ran") or {}).values()]
    return 1 if any(case["judged"].startswith("false") for case in wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
