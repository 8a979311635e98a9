"""The overview of a project, made by the program itself: what it is, where things are, how it is checked."""

import os
from collections.abc import Mapping, Sequence

from ..core.value import Value
from ..core.verdict.gate import Gate
from ..core.wording import cut
from ..gates.testcode.files import is_test_path
from ..gates.trees.files import DiskFiles
from ..system.git import Git
from ..system.program import find_program

FILES = 50_000
READ = 7
_MANIFESTS = (
    "README.md", "pyproject.toml", "package.json", "Cargo.toml", "go.mod", "Makefile", "composer.json",
    "Gemfile", "pom.xml", "build.gradle", "mix.exs", "CMakeLists.txt",
)  # fmt: skip
_FRAMEWORKS = (
    "next", "react", "vue", "svelte", "express", "fastify", "nestjs", "prisma", "typeorm", "django", "flask",
    "fastapi", "starlette", "sqlalchemy", "rails", "sinatra", "laravel", "spring", "axum", "tokio", "gin",
)  # fmt: skip
_LANGUAGES = {
    ".py": "Python", ".ts": "TypeScript", ".tsx": "TypeScript", ".js": "JavaScript", ".go": "Go",
    ".rs": "Rust", ".java": "Java", ".kt": "Kotlin", ".rb": "Ruby", ".php": "PHP", ".cs": "C#",
    ".c": "C", ".cpp": "C++", ".ex": "Elixir", ".swift": "Swift", ".sh": "shell",
}  # fmt: skip
_ENTRIES = (
    "__main__.py",
    "main.py",
    "app.py",
    "manage.py",
    "index.ts",
    "index.js",
    "main.go",
    "main.rs",
    "server.ts",
    "cli.py",
)
_SKIPPED = (".git", "node_modules", ".venv", "venv", "__pycache__", "dist", "build", "target")


class Overview(Value):
    summary: str
    text: str
    stack: list[str]
    key_files: list[str]


def make(root: str, environ: Mapping[str, str], gates: Sequence[Gate], *, reads: int = READ) -> Overview:
    """Make the overview from at most `reads` whole files; the checks are known since the session began."""
    paths = list_files(root, environ)
    manifests = [name for name in _MANIFESTS if name in set(paths)][:reads]
    texts = {name: DiskFiles(root).read(name) or "" for name in manifests}
    languages = _languages(paths)
    stack = [*languages, *_frameworks(texts)]
    tests = sum(1 for path in paths if is_test_path(path))
    entries = [path for path in paths if path.rpartition("/")[2] in _ENTRIES][:10]
    checks = [f"{gate.name}: `{gate.command}` ({gate.source})" for gate in gates]
    summary = f"{', '.join(stack[:4]) or 'no known language'}; {len(paths)} files, {tests} of them tests"
    text = "\n".join(
        [
            "# Overview",
            "",
            summary,
            *_section("Layout", _layout(paths)),
            *_section("Entry points", entries),
            *_section("Checks", checks),
            *_section("From its README", _first_words(texts.get("README.md", ""))),
            *_section("Lately", _history(root, environ)),
        ]
    )
    return Overview(summary, text + "\n", stack, [*manifests, *entries][:READ])


def list_files(root: str, environ: Mapping[str, str]) -> list[str]:
    """Return the project's files: git's list if there is git, else a bounded walk."""
    if os.path.lexists(f"{root}/.git") and find_program("git", environ):
        answer = Git(root, environ).answer(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        if answer.exit == 0:
            return [os.fsdecode(name) for name in answer.out.split(b"\0") if name][:FILES]
    return _walk(root)


def _walk(root: str) -> list[str]:
    paths: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        inner = os.path.relpath(folder, root)
        paths += [name if inner == "." else f"{inner}/{name}" for name in sorted(names)]
        if len(paths) >= FILES:
            break
    return paths[:FILES]


def _section(title: str, lines: list[str]) -> list[str]:
    return ["", f"## {title}", "", *(f"- {cut(line, 160)}" for line in lines)] if lines else []


def _languages(paths: list[str]) -> list[str]:
    counts: dict[str, int] = {}
    for path in paths:
        name = _LANGUAGES.get(os.path.splitext(path)[1])
        if name:
            counts[name] = counts.get(name, 0) + 1
    return sorted(counts, key=lambda name: -counts[name])[:3]


def _frameworks(texts: Mapping[str, str]) -> list[str]:
    sentence = "\n".join(text for name, text in texts.items() if name != "README.md").lower()
    return [name for name in _FRAMEWORKS if f'"{name}' in sentence or f"\n{name}" in sentence or f" {name}" in sentence]


def _layout(paths: list[str]) -> list[str]:
    counts: dict[str, int] = {}
    for path in paths:
        top = path.partition("/")[0] + ("/" if "/" in path else "")
        counts[top] = counts.get(top, 0) + 1
    most = sorted(counts, key=lambda name: (-counts[name], name))[:15]
    return [f"{name} ({counts[name]} files)" if name.endswith("/") else name for name in most]


def _first_words(readme: str) -> list[str]:
    lines = [
        line.strip()
        for line in readme.splitlines()
        if line.strip() and not line.startswith(("#", "!", "[", "<", "```"))
    ]
    return lines[:3]


def _history(root: str, environ: Mapping[str, str]) -> list[str]:
    if not os.path.lexists(f"{root}/.git") or not find_program("git", environ):
        return []
    answer = Git(root, environ).answer(["log", "-5", "--format=%h %s", "--no-show-signature"])
    return answer.out.decode("utf-8", "replace").splitlines() if answer.exit == 0 else []
