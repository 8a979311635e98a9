"""
Advice on a fresh clone: the executed projects of bench/wild.toml as they come, with nothing installed.

Each is verified at once, prepared by `ultrawork gates prepare` after a yes, and verified again. Right is a gate that
says at once, or after what was advised, what it says where all is installed by hand. What came out is
kept in bench/wild_fresh.json; --write makes a table of bench/wild.md of it.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import tomllib

import wild

RESULTS = os.path.join(wild.REPOSITORY, "bench/wild_fresh.json")
BEGIN, END = "<!-- fresh: begin -->", "<!-- fresh: end -->"
HEAD = ("project", "before", "advised and run after a yes", "test gate afterwards", "")
# A package that is in the registry, but not where this machine fetches from, is no fault of the advice.
AT_ONCE, ADVISED, WRONG, UNSERVED = "runs as it comes", "right advice", "**wrong**", "not served"


class FreshClone(wild.Workshop):
    """A project as its registry brought it, in a folder of its own beside the one that was prepared."""

    def __init__(self, shop, project):
        super().__init__(tempfile.mkdtemp(prefix="fresh-", dir=shop.root))
        first = shop.run("git rev-list --max-parents=0 HEAD", project)[1].strip()
        place = shop.folder(project)
        self.run(f"git clone -q {place} {self.folder(project)} && cd {self.folder(project)} && git checkout -q {first}")  # fmt: skip

        self.run([sys.executable, "-m", "venv", f"{self.root}/env"])

    def environ(self, project=None):
        """An empty environment of Python, as somebody switched it on; what this machine has besides is not seen."""
        found = super().environ(project)
        kept = [one for one in found["PATH"].split(":") if "pyenv" not in one]
        return {**found, "PATH": ":".join([f"{self.root}/env/bin", *kept]), "VIRTUAL_ENV": f"{self.root}/env"}  # fmt: skip

    def verify(self, project):
        """The colour of its test gate, and what was said beside it."""
        _, told = self.ultrawork(project, "verify", "--quick", "--fresh")
        gates = told.get("gates") or {}
        test = next((one for name, one in gates.items() if name.startswith("test")), {})
        return test.get("result") or "none", [one["what"] for one in told.get("findings") or ()]


def measure(shop, project, truth):
    """`truth` is what its own command says once all that its documentation asks for is installed."""
    clone = FreshClone(shop, project)
    try:
        before, said = clone.verify(project)
        if before == truth:
            return {"before": before, "advised": [], "after": before, "judged": AT_ONCE}
        _, told = clone.ultrawork(project, "gates", "prepare", "--yes")
        steps = told.get("prepared") or []
        after, later = clone.verify(project)
        unserved = any(step["exit"] and "No matching distribution" in step["error"] for step in steps)  # fmt: skip
        # By hand too little may have been installed: tests that all pass need nothing more.
        judged = ADVISED if steps and after in (truth, "green") else UNSERVED if unserved else WRONG
        advised = [{"command": one["command"], "exit": one["exit"]} for one in steps]
        return {
            "before": before, "said": said[:3], "advised": advised, "after": after, "later": later[:3], "judged": judged,
        }  # fmt: skip
    finally:
        shutil.rmtree(clone.root, ignore_errors=True)


def render(results):
    count = {word: sum(one["judged"] == word for one in results.values()) for word in (AT_ONCE, ADVISED, WRONG, UNSERVED)}  # fmt: skip
    lines = [
        f"{len(results)} of the executed projects, as they come: {count[AT_ONCE]} run at once, {count[ADVISED]} after what was "
        f"advised, {count[WRONG]} do not; of {count[UNSERVED]} the registry here does not serve what they ask for.",
        "",
        f"| {' | '.join(HEAD)} |",
        "|---|---|---|---|---|",
    ]
    for name, one in results.items():
        advised = ", ".join(f"`{step['command']}`" for step in one["advised"])
        lines.append(f"| {name} | {one['before']} | {advised} | {one['after']} | {one['judged']} |")
    return "\n".join(lines)


def write_page(results):
    with open(wild.PAGE, encoding="utf-8") as file:
        before, _, rest = file.read().partition(BEGIN)
    with open(wild.PAGE, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n{render(results)}\n{END}{rest.partition(END)[2]}")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--folder", default=f"{tempfile.gettempdir()}/ultrawork-wild")
    options.add_argument("--write", action="store_true", help="put the results into the page")
    options.add_argument("names", nargs="*", help="only these projects")
    given = options.parse_args()
    with open(wild.LIST, "rb") as file:
        projects = [one for one in tomllib.load(file)["project"] if "break" in one]
    shop = wild.Workshop(os.path.abspath(given.folder))
    results, known = wild.read_json(RESULTS), wild.read_json(wild.RESULTS)
    for project in projects:
        if given.names and project["name"] not in given.names:
            continue
        shop.fetch(project)
        ran = known.get(project["name"], {}).get("ran") or {}
        truth = ran.get("unchanged", {}).get("truth", "green")
        results[project["name"]] = measure(shop, project, truth)
        print(project["name"], json.dumps(results[project["name"]]), flush=True)
        with open(RESULTS, "w", encoding="utf-8") as file:
            json.dump({one["name"]: results[one["name"]] for one in projects if one["name"] in results}, file, indent=1)  # fmt: skip
            file.write("\n")
    if given.write:
        write_page(results)
    return 1 if any(one["judged"] == WRONG for one in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
