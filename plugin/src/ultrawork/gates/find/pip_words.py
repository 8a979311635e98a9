"""Find what pip must install for a project's checks: itself with extras, groups, requirement files."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from .folder import ProjectFolder, get_table

# Extras and groups that hold what the checks need, as people name them.
_FOR_CHECKS = ("dev", "test", "tests", "testing", "develop", "development", "lint", "typing", "types")
REQUIREMENTS = (
    "requirements-dev.txt", "requirements_dev.txt", "dev-requirements.txt", "dev_requirements.txt",
    "requirements-test.txt", "requirements-tests.txt", "requirements_test.txt", "test-requirements.txt",
    "test_requirements.txt", "requirements/dev.txt", "requirements/test.txt", "requirements/tests.txt",
    "requirements/development.txt", "tests/requirements.txt", "test/requirements.txt",
    "dev.requirements.txt", "test.requirements.txt", "requirements.dev.txt", "requirements.test.txt",
    "requirements-testing.txt", "requirements/testing.txt", "requirements-develop.txt",
)  # fmt: skip


def list_pip_words(project: ProjectFolder) -> tuple[list[str], str]:
    options = project.read_toml("pyproject.toml")
    if get_table(options, "tool", "poetry") and not get_table(options, "project"):
        return [], ""
    # pip installs no folder that has only a setup.cfg.
    source = project.find_first("setup.py")
    if get_table(options, "project") or get_table(options, "build-system"):
        source = "pyproject.toml"
    extras = list_check_extras(project)
    words = ["-e", f".[{','.join(extras)}]" if extras else "."] if source else []
    groups = [name for name in _FOR_CHECKS[:6] if name in get_table(options, "dependency-groups")]
    # By their names: few of the pips that are about know `--group`.
    words += [] if extras or not groups else _list_group(options, groups[0], ())
    files = _list_tox_files(project) or [requirement for requirement in REQUIREMENTS if project.exists(requirement)][:2]
    if not words or (not extras and not groups and not files):
        files = [name for name in ("requirements.txt",) if project.exists(name)] + files
    words += [word for file in files for word in ("-r", file)]
    return words, source or (files[0] if files else "")


def _list_tox_files(project: ProjectFolder) -> list[str]:
    """Files of requirements that tests of each environment need by `tox.ini`; not those of some environments alone."""
    deps = str(get_table(project.read_ini("tox.ini"), "testenv").get("deps") or "")
    matches = [re.fullmatch(r"-r\s*(?:\{toxinidir\}/)?([\w./-]+)", line.strip()) for line in deps.splitlines()]
    return [match[1] for match in matches if match and project.exists(match[1])]


def _list_group(options: Mapping[str, object], name: str, around: tuple[str, ...]) -> list[str]:
    """The packages of a group, those of groups that it includes among them."""
    packages: list[str] = []
    listed = get_table(options, "dependency-groups").get(name)
    for entry in listed if isinstance(listed, list) else ():
        inner = str(entry.get("include-group", "")) if isinstance(entry, dict) else ""
        if inner and inner not in around:
            packages += _list_group(options, inner, (*around, name))
        elif isinstance(entry, str):
            packages.append(entry)
    return list(dict.fromkeys(packages))


def list_pip_packages(project: ProjectFolder, words: Sequence[str]) -> frozenset[str] | None:
    """Those that the words of pip name, in files and extras too; None where files of files name more. Of a script each
    word counts."""
    files = [project.read(file) or "" for flag, file in pairwise(words) if flag == "-r"]
    options = get_table(project.read_toml("pyproject.toml"), "project")
    own = options.get("dependencies")
    lines = [*words, *(own if isinstance(own, list) else ())]
    lines += [line.strip() for text in files for line in text.splitlines()]
    script = re.findall(r"\w[\w.-]*", project.read("setup.py") or "")
    configured = get_table(project.read_ini("setup.cfg"), "options.extras_require")
    for extra in [name for word in words if ".[" in word for name in word[2:-1].split(",")]:
        listed = get_table(options, "optional-dependencies").get(extra, str(configured.get(extra, "")).split())
        if not isinstance(listed, list) or not (listed or script):
            return None
        lines += [*map(str, listed), *script]
    if any(line.startswith("-r ") for line in lines):
        return None
    return frozenset(re.split(r"[^\w.-]", str(line), maxsplit=1)[0].lower() for line in lines)


def list_check_extras(project: ProjectFolder) -> list[str]:
    """The extras that exist and are for the checks, in the order in which they are usually named."""
    options = project.read_toml("pyproject.toml")
    named = set(get_table(options, "project", "optional-dependencies"))
    named |= set(get_table(options, "tool", "poetry", "extras"))
    named |= set(get_table(project.read_ini("setup.cfg"), "options.extras_require"))
    script = project.read("setup.py") or ""
    inside = re.search(r"extras_require\s*=\s*\{(.*?)\}", script, re.DOTALL)
    named |= set(re.findall(r"['\"](\w+)['\"]\s*:", inside[1])) if inside else set()
    return [name for name in _FOR_CHECKS if name in named] or [extra for extra in named if extra == "all"]
