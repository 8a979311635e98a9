"""Scan a project once: languages, frameworks, its commands, its folders."""

import os
from typing import Any

from ...core.errors import UsageError
from ...core.toolchains.toolchain import get_built_in
from ..atomic import list_folder, read_text
from ..codec import loads
from ..settings import parse
from . import memory
from .folder import Omc

Document = dict[str, Any]

RESCAN = 86_400.0
_LIMIT = 500_000
# What a manifest file implies.
_LANGUAGES = {
    "package.json": "JavaScript/TypeScript", "tsconfig.json": "TypeScript", "Cargo.toml": "Rust",
    "pyproject.toml": "Python", "requirements.txt": "Python", "go.mod": "Go", "pom.xml": "Java",
    "build.gradle": "Java", "Gemfile": "Ruby", "composer.json": "PHP", "mix.exs": "Elixir",
}  # fmt: skip
# If there is no manifest.
_ENDINGS = {
    "py": "Python", "js": "JavaScript", "ts": "TypeScript", "go": "Go", "rs": "Rust", "rb": "Ruby", "php": "PHP", "java": "Java",
    "c": "C", "cpp": "C++", "sh": "Shell", "lua": "Lua", "ex": "Elixir",
}  # fmt: skip
_FRAMEWORKS = {
    "frontend": ("react", "react-dom", "vue", "svelte", "@angular/core", "preact", "solid-js"),
    "fullstack": ("next", "nuxt", "remix", "astro"),
    "backend": (
        "express", "fastify", "@nestjs/core", "koa", "hono", "django", "flask", "fastapi", "axum", "actix-web", "rocket",
    ),
    "build": ("vite", "webpack", "rollup", "esbuild", "turbo"),
}  # fmt: skip
_FOLDERS = {
    "src": "Source code", "lib": "Library code", "app": "Application code", "tests": "Test files", "test": "Test files",
    "docs": "Documentation", "scripts": "Scripts", "packages": "Packages", "apps": "Applications", "bin": "Programs",
    "examples": "Examples", "public": "Public assets", "assets": "Assets", "components": "Components",
}  # fmt: skip
_CARGO = {"build": "cargo build", "test": "cargo test", "lint": "cargo clippy", "dev": "cargo run"}
_GO = {"build": "go build ./...", "test": "go test ./...", "lint": "go vet ./..."}


def _list_locks() -> dict[str, str]:
    """Lock file -> the package manager that writes it."""
    return {file: lock for row in get_built_in().ecosystems.values() for file, lock in row.locks.items()}


def is_due(document: Document, now: float) -> bool:
    """Return whether a scan is due: once a day; notes do not matter."""
    at = document.get("lastScanned")
    return not isinstance(at, int | float) or now * 1000 - at > RESCAN * 1000


def scan_project(top: str, now: float) -> Document:
    """Return what the files show, as project memory without notes."""
    blank = memory.make_blank(top)
    names = set(list_folder(top))
    _languages(blank, names)
    _manifests(blank, names, top)
    stack = blank["techStack"]
    stack["packageManager"] = next((lock for file, lock in _list_locks().items() if file in names), stack["packageManager"])  # fmt: skip
    folders = [name for name in _FOLDERS if os.path.isdir(f"{top}/{name}")]
    blank["structure"]["mainDirectories"] = sorted(folders)
    blank["directoryMap"] = {name: _folder(top, name, now) for name in sorted(folders)}
    return {**blank, "lastScanned": round(now * 1000)}


def renew(omc: Omc, now: float) -> Document:
    """Scans, and puts what was found into the memory; notes, directives and hot paths stay."""
    fresh = scan_project(omc.top, now)
    keys = ("lastScanned", "techStack", "structure", "directoryMap")

    def edit(document: Document) -> Document:
        old = document.get("build")
        build = {**fresh["build"], **{k: v for k, v in (old if isinstance(old, dict) else {}).items() if v}}
        return {**document, **{key: fresh[key] for key in keys}, "build": build}

    return memory.change(omc, edit)


def _languages(document: Document, names: set[str]) -> None:
    languages: dict[str, list[str]] = {}
    for file, language in _LANGUAGES.items():
        if file in names:
            languages.setdefault(language, []).append(file)
    document["techStack"]["languages"] = [
        {"name": name, "version": None, "confidence": "high", "markers": markers} for name, markers in languages.items()
    ] or [
        {"name": name, "version": None, "confidence": "low", "markers": [f"*.{ending}"]}
        for ending, name in _ENDINGS.items()
        if any(file_name.endswith(f".{ending}") for file_name in names)
    ]


def _manifests(document: Document, names: set[str], top: str) -> None:
    readers = {"Makefile": _make, "package.json": _node, "Cargo.toml": _cargo, "pyproject.toml": _python}
    for file, reader in readers.items():
        if file in names:
            reader(document, read_text(f"{top}/{file}", _LIMIT) or "", names)
    if "go.mod" in names:
        _commands(document, _GO)
        document["techStack"]["packageManager"] = "go"


def _make(document: Document, text: str, _names: set[str]) -> None:
    """Read Makefile targets first, so that a manifest's own commands win."""
    heads = {line.partition(":")[0].strip() for line in text.splitlines() if ":" in line and line[:1] not in "\t #"}
    _commands(document, {key: f"make {key}" for key in ("build", "test", "lint") if key in heads})


def _node(document: Document, text: str, names: set[str]) -> None:
    package = _json(text)
    scripts = _table(package.get("scripts"))
    locks = get_built_in().ecosystems["node"].locks
    manager = next((lock for file, lock in locks.items() if file in names), "npm")
    run = f"{manager} run" if manager in ("npm", "bun") else manager
    document["techStack"]["packageManager"] = manager
    document["build"]["scripts"] = {key: value for key, value in scripts.items() if isinstance(value, str)}
    wanted: dict[str, str] = {key: f"{run} {key}" for key in ("build", "test", "lint", "dev") if key in scripts}
    _commands(document, {**wanted, **({"test": f"{manager} test"} if "test" in wanted else {})})
    versions = {**_table(package.get("dependencies")), **_table(package.get("devDependencies"))}
    _frameworks(document, {name: str(version).lstrip("^~>=") for name, version in versions.items()})
    node = _table(package.get("engines")).get("node")
    if isinstance(node, str):
        document["techStack"]["runtime"] = f"Node.js {node.lstrip('^~>=')}"
        _version(document, "JavaScript/TypeScript", node)
    workspaces = package.get("workspaces")
    listed = workspaces if isinstance(workspaces, list) else _table(workspaces).get("packages")
    if isinstance(listed, list):
        document["structure"].update({"isMonorepo": True, "workspaces": [str(workspace) for workspace in listed]})


def _cargo(document: Document, text: str, _names: set[str]) -> None:
    document["techStack"]["packageManager"] = "cargo"
    _commands(document, _CARGO)
    dependencies = _table(_toml(text).get("dependencies"))
    _frameworks(document, dict.fromkeys(dependencies, ""))


def _python(document: Document, text: str, _names: set[str]) -> None:
    whole = _toml(text)
    project, tools = _table(whole.get("project")), _table(whole.get("tool"))
    poetry = _table(tools.get("poetry"))
    wanted = project.get("requires-python") or _table(poetry.get("dependencies")).get("python")
    if isinstance(wanted, str):
        _version(document, "Python", wanted)
    manager = "poetry" if poetry else "uv" if "uv" in tools else "pip"
    document["techStack"]["packageManager"] = manager
    commands = {"test": "pytest"} if "pytest" in text else {}
    _commands(document, {**commands, **({"lint": "ruff check"} if "ruff" in text else {})})
    listed = project.get("dependencies")
    given = [str(dependency) for dependency in listed] if isinstance(listed, list) else []
    named = [dependency.split("[")[0].split("=")[0].strip("<>~! ") for dependency in given]
    _frameworks(document, dict.fromkeys((*named, *_table(poetry.get("dependencies"))), ""))


def _commands(document: Document, commands: dict[str, str]) -> None:
    document["build"].update({f"{key}Command": value for key, value in commands.items()})


def _frameworks(document: Document, versions: dict[str, str]) -> None:
    document["techStack"]["frameworks"] += [
        {"name": name, "version": versions[name] or None, "category": category}
        for category, names in [*_FRAMEWORKS.items(), ("testing", _list_test_packages())]
        for name in names
        if name in versions
    ]


def _list_test_packages() -> list[str]:
    known = get_built_in()
    packages = known.collect("package").items()
    return [package for name, package in packages if known.tables[name].get("kind") == "test"]


def _version(document: Document, language: str, version: str) -> None:
    for entry in document["techStack"]["languages"]:
        if entry["name"] == language:
            entry["version"] = version


def _folder(top: str, name: str, now: float) -> Document:
    files = [file for file in list_folder(f"{top}/{name}") if os.path.isfile(f"{top}/{name}/{file}")]
    return {
        "path": name,
        "purpose": _FOLDERS[name],
        "fileCount": len(files),
        "lastAccessed": round(now * 1000),
        "keyFiles": sorted(files)[:5],
    }


def _json(text: str) -> Document:
    try:
        return _table(loads(text))
    except ValueError:
        return {}


def _toml(text: str) -> Document:
    try:
        return parse(text, "")
    except UsageError:
        return {}


def _table(value: object) -> Document:
    return value if isinstance(value, dict) else {}
