"""
Gates in the wild: what is found in real projects, beside what their maintainers document.

Source packages are fetched by pip and npm into a folder, each project is read as it comes, with no file
of ours, and the gate found is compared with the command its documentation names. With --run the gates
that the table marks are also run, after their requirements were installed beside the project. --write
puts the tables into docs/explanation/gates-in-the-wild.md.
"""

import argparse
import os
import re
import sys
import tarfile
import tempfile
import time

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(REPOSITORY, "src"))

from ultrawork.core.verdict.gate import TEST  # noqa: E402 (the path above makes it importable)
from ultrawork.gates.find.project import find_gates, list_left_out  # noqa: E402
from ultrawork.gates.trees.files import DiskFiles  # noqa: E402
from ultrawork.system.process import run_program  # noqa: E402

PAGE = os.path.join(REPOSITORY, "docs/explanation/gates-in-the-wild.md")
BEGIN, END = "<!-- found: begin -->", "<!-- found: end -->"
FETCH, INSTALL, GATE = 300, 300, 120
KEPT = re.compile(
    r"(PATH|LANG|TMPDIR|PIP_.*|NPM_CONFIG_.*|UV_.*|SSL_CERT_.*|.*_PROXY)", re.IGNORECASE
)
# What a runner prints last about its tests.
SUMMARY = re.compile(
    r"(?<![.\d])\d+ (?:passed|failed|passing|failing|tests?)\b|^# (?:pass|fail|ok)|^Ran \d+|^(?:Tests|Test Files):? +\d"
    r"|^ok$|^ok \d+|^OK\b|^FAILED\b|Passed:\d+|test result:"
)
UNWANTED = re.compile(r"\x1b\[[\d;]*m|https?://\S+|\S+\.(?:com|io|org)\b|(?<![\w.])/\S+/")
TROUBLE = re.compile(r"error|not found|no such|cannot", re.IGNORECASE)


class Project:
    """
    `says` is the documented command, `where` the file of the package that holds it and `quote` its
    words there; `same` are commands that come to the same check, `part` some that do less; `setup` is
    what pip has to install before the gate runs, None if it is not run; `changed` asks for the gates
    of a folder below.
    """

    def __init__(
        self, kind, name, says, where, *, quote="", same=(), part=(), setup=None, changed=None
    ):
        self.kind = kind
        self.name, _, self.version = name.rpartition("==")
        self.says = says
        self.where = where
        self.quote = quote or says
        self.same = same
        self.part = part
        self.setup = setup
        self.changed = changed


PYPI, NPM = "pypi", "npm"
PROJECTS = [
    Project(PYPI, "more-itertools==11.2.1", "python -m unittest", "docs/testing.rst", same=("make test",), setup=["."]),
    Project(PYPI, "markdown==3.11.3", "python -m unittest discover tests", "docs/contributing.md", same=("make test",), setup=[".[testing]"]),
    Project(PYPI, "sqlparse==0.6.1", "make test", "AGENTS.md", setup=["uv"]),
    Project(PYPI, "lxml==6.1.3", "make test", "doc/build.txt", setup=["-r", "requirements.txt", "setuptools"]),
    Project(PYPI, "pyyaml==6.0.3", "python setup.py test", "README.md", setup=[".", "pytest"]),
    Project(PYPI, "cachetools==8.0.0", "tox -e py", "AGENTS.md", same=("pytest",), setup=[".", "pytest"]),
    Project(PYPI, "docutils==0.23", "python -u alltests.py", "docs/dev/testing.rst", same=("cd test && python3 alltests.py",), setup=["."]),
    Project(PYPI, "tornado==6.6.1", "python -m tornado.test.runtests", "runtests.sh", same=("python3 -m tornado.test",), setup=["."]),
    Project(PYPI, "twisted==26.10.0", "tox -e nocov", "README.rst", setup=["tox"]),
    Project(PYPI, "structlog==26.1.0", "python -Im pytest", ".github/CONTRIBUTING.md", same=("pytest",), setup=[".", "--group", "tests"]),
    Project(PYPI, "pexpect==4.9.0", "pytest", "tests/README", setup=[".", "pytest"]),
    Project(PYPI, "cffi==2.1.1", "pytest src/c/ testing/", "README.md", same=("pytest",), setup=[".", "pytest", "setuptools>=77"]),
    Project(PYPI, "networkx==3.6.1", "pytest --pyargs networkx", "CONTRIBUTING.rst", same=("pytest",), setup=[".", "pytest"]),
    Project(PYPI, "orjson==3.13.0", "pytest -q test", "README.md", same=("pytest",), setup=["orjson", "pytest"]),
    Project(PYPI, "maturin==1.16.0", "cargo test --all-features", "AGENTS.md", part=("cargo test",), setup=[]),
    Project(PYPI, "nox==2026.10.20", "nox --session tests-3.12", "CONTRIBUTING.md", same=("pytest",), setup=[".", "--group", "test"]),
    Project(PYPI, "starlette==1.10.0", "scripts/test", "docs/contributing.md", part=("uv run pytest",), setup=["uv"]),
    Project(PYPI, "jupyterlab==4.6.6", "jlpm test", "docs/source/developer/contributing.md", same=("yarn test",)),
    Project(PYPI, "flask==3.1.3", "pytest", "examples/tutorial/README.rst", quote="$ pytest", same=("uv run pytest",), changed="examples/tutorial/flaskr/db.py"),
    Project(NPM, "express-handlebars==8.0.1", "npm test", "package.json", quote='"test": "jest', setup=[]),
    Project(NPM, "uuid-parse==1.1.0", "npm test", "README.md", setup=[]),
    Project(NPM, "fastq==1.20.3", "npm test", "package.json", quote='"test"', setup=[]),
    Project(NPM, "on-exit-leak-free==2.1.2", "npm test", "package.json", quote='"test"', setup=[]),
    Project(NPM, "find-my-way==9.10.0", "npm test", "package.json", quote='"test"', setup=[]),
    Project(NPM, "rambda==11.3.0", "npm run test:ci", "package.json", quote='"test:ci"', setup=[]),
    Project(NPM, "zod==4.6.7", "npm test", "package.json", quote='"test"', setup=[]),
    Project(NPM, "qs==6.17.1", "npm test", "package.json", quote='"test"', setup=[]),
    Project(NPM, "jison==0.4.18", "make test", "Makefile", quote="test:", same=("npm test",), setup=[]),
]  # fmt: skip


class Row:
    """One project as it was met: `folder` is where it lies, the rest is what the tables show."""

    def __init__(self, project, folder):
        self.project = project
        self.folder = folder
        self.gates = []
        self.left_out = []
        self.milliseconds = 0.0
        self.quoted = False
        self.ran = self.remembered()
        self.trouble = ""

    def remembered(self):
        """What the last run came to, kept beside the project."""
        try:
            with open(f"{self.folder}.ran", encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def remember(self, result):
        self.ran = result
        with open(f"{self.folder}.ran", "w", encoding="utf-8") as file:
            file.write(result)

    @property
    def test(self):
        return next((gate for gate in self.gates if gate.kind == TEST), None)

    @property
    def verdict(self):
        if self.test is None:
            return "**missed**"
        if self.test.command == self.project.says:
            return "as documented"
        if self.test.command in self.project.same:
            return "the same check"
        return "a part of it" if self.test.command in self.project.part else "**differs**"


def environment(root, *more):
    kept = {name: value for name, value in os.environ.items() if KEPT.fullmatch(name)}
    path = os.pathsep.join([*more, kept.get("PATH", "")])
    # A compiler that lives in the person's home is found there, its settings are not.
    tools = {"RUSTUP_HOME": os.path.expanduser("~/.rustup")}
    return {**tools, **kept, "PATH": path, "HOME": f"{root}/home"}


def fetch(project, root):
    """The project's files below `root`, fetched once."""
    folder = f"{root}/{project.name}-{project.version}"
    if not os.path.isdir(folder):
        store = f"{folder}.packed"
        os.makedirs(store, exist_ok=True)
        argv = FETCHERS[project.kind](project)
        done = run_program(argv, cwd=store, env=environment(root), deadline=FETCH)
        packed = [name for name in os.listdir(store) if name.endswith(("gz", "tgz"))]
        if done.exit != 0 or not packed:
            raise OSError(f"{' '.join(argv)} failed: {last_line(done.output)}")
        unpack(f"{store}/{packed[0]}", folder)
    return folder


def pip_download(project):
    wanted = f"{project.name}=={project.version}"
    return [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", project.name, "-d", ".", wanted]  # fmt: skip


def npm_pack(project):
    return ["npm", "pack", "--silent", f"{project.name}@{project.version}"]


FETCHERS = {PYPI: pip_download, NPM: npm_pack}


def unpack(archive, folder):
    with tarfile.open(archive) as packed:
        packed.extractall(folder + ".parts", filter="data")
    (inner,) = os.listdir(folder + ".parts")
    os.rename(f"{folder}.parts/{inner}", folder)


def look(row):
    """What is found, and whether the documentation says what the table claims."""
    files = DiskFiles(row.folder)
    started = time.perf_counter()
    changed = [row.project.changed] if row.project.changed else None
    row.gates = find_gates(files, None, changed=changed)
    row.milliseconds = (time.perf_counter() - started) * 1000
    row.left_out = list_left_out(files)
    row.quoted = row.project.quote in (files.read(row.project.where) or "")


def install(row, root):
    """What the gate needs, beside the project; returns the folder of programs for its PATH."""
    project = row.project
    if project.kind == NPM:
        argv = ["npm", "install", "--loglevel=error", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"]  # fmt: skip
        done = run_program(argv, cwd=row.folder, env=environment(root), deadline=INSTALL)
        row.trouble = summary(done.output)
        return "" if done.exit == 0 else None
    place = f"{root}/{project.name}-environment"
    made = run_program(
        [sys.executable, "-m", "venv", place], cwd=root, env=environment(root), deadline=INSTALL
    )
    pip = [f"{place}/bin/python", "-m", "pip", "install", "-q"]
    run_program([*pip, "-U", "pip"], cwd=root, env=environment(root), deadline=INSTALL)
    done = run_program(
        [*pip, *(project.setup or ["pip"])], cwd=row.folder, env=environment(root), deadline=INSTALL
    )
    row.trouble = summary(done.output)
    return f"{place}/bin" if made.exit == 0 and done.exit == 0 else None


def try_gate(row, root):
    if row.project.setup is None or row.test is None:
        return
    programs = install(row, root)
    if programs is None:
        row.remember(f"could not be prepared: {row.trouble}")
        return
    env = {**environment(root, programs), "CI": "1"}
    where = os.path.join(row.folder, row.test.where)
    done = run_program(row.test.argv, cwd=where, env=env, deadline=GATE, log=f"{row.folder}.log")
    if done.timed_out:
        row.remember(f"did not end in {GATE} s")
        return
    result = "green" if done.exit == 0 else f"exit {done.exit}"
    row.remember(f"{result} after {done.seconds:.0f} s: {summary(done.output)}")


def summary(output):
    """The runner's own last word about its tests, else about what went wrong, else its last line."""
    plain = [line.strip(" =") for line in UNWANTED.sub("", output).splitlines()]
    for pattern in (SUMMARY, TROUBLE):
        told = [line for line in plain if pattern.search(line)]
        if told:
            return told[-1 if pattern is SUMMARY else 0][:80]
    return last_line(output)


def last_line(output):
    lines = [line.strip() for line in UNWANTED.sub("", output).splitlines() if line.strip()]
    return lines[-1][:100] if lines else "no output"


def page(rows):
    lines = ["| project | documented | found | verdict | runner |", "|---|---|---|---|---|"]
    for row in rows:
        project, test = row.project, row.test
        says = f"`{project.says}` ({project.where})" + ("" if row.quoted else ", not found there")
        found = f"`{test.command}` ({test.source})" if test else "nothing"
        runner = test.runner if test else ""
        lines.append(
            f"| {project.name} {project.version} | {says} | {found} | {row.verdict} | {runner} |"
        )
    lines += ["", f"Reading one project took {spread(rows)}.", "", *also(rows), "", *runs(rows)]
    return "\n".join(lines)


def spread(rows):
    times = sorted(row.milliseconds for row in rows)
    return f"{times[len(times) // 2]:.0f} ms in the middle, {times[-1]:.0f} ms at most"


def also(rows):
    lines = ["| project | other gates | seen and left out |", "|---|---|---|"]
    for row in rows:
        others = [f"{g.name}: `{g.command}`" for g in row.gates if g is not row.test]
        left = [f"`{name}`: {why}" for name, why in row.left_out]
        more = [f"and {len(left) - 3} more"] if len(left) > 3 else []
        lines.append(
            f"| {row.project.name} | {'<br>'.join(others)} | {'<br>'.join(left[:3] + more)} |"
        )
    return lines


def runs(rows):
    lines = ["| project | gate | result |", "|---|---|---|"]
    return lines + [
        f"| {row.project.name} | `{row.test.command}` | {row.ran} |"
        for row in rows
        if row.test and row.ran
    ]


def write(text):
    with open(PAGE, encoding="utf-8") as file:
        before, _, rest = file.read().partition(BEGIN)
    after = rest.partition(END)[2]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n{text}\n{END}{after}")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--folder",
        default=f"{tempfile.gettempdir()}/ultrawork-wild",
        help="where projects are kept",
    )
    options.add_argument(
        "--run", action="store_true", help="also run the gates that the table marks"
    )
    options.add_argument("--write", action="store_true", help="put the tables into the page")
    options.add_argument("names", nargs="*", help="only these projects")
    given = options.parse_args()
    root = os.path.abspath(given.folder)
    os.makedirs(f"{root}/home", exist_ok=True)
    rows = []
    for project in PROJECTS:
        if given.names and project.name not in given.names:
            continue
        try:
            row = Row(project, fetch(project, root))
        except OSError as error:
            print(f"{project.name}: {error}", file=sys.stderr)
            continue
        look(row)
        if given.run:
            try_gate(row, root)
        print(
            f"{project.name}: {row.verdict}; {row.test and row.test.command}; {row.ran}", flush=True
        )
        rows.append(row)
    if given.write:
        write(page(rows))
    return 0 if all(row.test for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
