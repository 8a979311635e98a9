"""The known language servers: what they serve, how they start, which are installed, how to get them."""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence

from ..core.check import quote
from ..core.errors import NotFound
from ..core.value import Value


class LanguageServer:
    """A server. `argv[0]` is the program to find; `fits` may reject one that only has the right name. One that
    `executes` runs code of the checkout: build scripts, its compiler, its bundle."""

    __slots__ = ("argv", "executes", "fits", "install", "name")

    def __init__(
        self,
        name: str,
        argv: str,
        install: str,
        fits: Callable[[str], bool] | None = None,
        *,
        executes: bool = False,
    ) -> None:
        self.name = name
        self.argv = tuple(argv.split())
        self.install = install
        self.fits = fits
        self.executes = executes


class Language:
    """Servers in the order of preference; `ids` are the protocol's names by extension."""

    __slots__ = ("ids", "markers", "name", "servers")

    def __init__(
        self, name: str, ids: Mapping[str, str], markers: str, servers: Sequence[LanguageServer]
    ) -> None:
        self.name = name
        self.ids = {end: kind for kind, ends in ids.items() for end in ends.split()}
        self.markers = tuple(markers.split())
        self.servers = tuple(servers)


def _native_typescript(program: str) -> bool:
    """Return whether TypeScript itself speaks the protocol: from version 7 on."""
    package = os.path.join(
        os.path.dirname(os.path.dirname(os.path.realpath(program))), "package.json"
    )
    try:
        with open(package, "rb") as file:
            version = str(json.load(file).get("version", ""))
    except (OSError, ValueError, AttributeError):
        return False
    major = version.partition(".")[0]
    return major.isdigit() and int(major) >= 7


_EXTRACTED = "npm install -g vscode-langservers-extracted"
LANGUAGES = (
    Language(
        "TypeScript and JavaScript",
        {
            "typescript": ".ts .mts .cts",
            "typescriptreact": ".tsx",
            "javascript": ".js .mjs .cjs",
            "javascriptreact": ".jsx",
        },
        "tsconfig.json jsconfig.json package.json",
        [
            LanguageServer(
                "TypeScript 7", "tsc --lsp --stdio", "npm install -D typescript", _native_typescript
            ),
            LanguageServer(
                "typescript-language-server",
                "typescript-language-server --stdio",
                "npm install -D typescript-language-server typescript@6",
                executes=True,
            ),
        ],
    ),
    Language(
        "Python",
        {"python": ".py .pyi .pyw"},
        "pyproject.toml setup.py setup.cfg requirements.txt pyrightconfig.json ty.toml",
        [
            LanguageServer(
                "basedpyright", "basedpyright-langserver --stdio", "pip install basedpyright"
            ),
            LanguageServer("pyright", "pyright-langserver --stdio", "pip install pyright"),
            LanguageServer("ty", "ty server", "pip install ty"),
            LanguageServer("pylsp", "pylsp", "pip install python-lsp-server"),
        ],
    ),
    Language(
        "Rust",
        {"rust": ".rs"},
        "Cargo.toml",
        [
            LanguageServer(
                "rust-analyzer",
                "rust-analyzer",
                "rustup component add rust-analyzer",
                executes=True,
            )
        ],
    ),
    Language(
        "Go",
        {"go": ".go", "gomod": ".mod"},
        "go.work go.mod",
        [LanguageServer("gopls", "gopls serve", "go install golang.org/x/tools/gopls@latest")],
    ),
    Language(
        "C and C++",
        {"c": ".c .h", "cpp": ".cpp .cc .cxx .hpp .hh .hxx"},
        "compile_commands.json compile_flags.txt .clangd CMakeLists.txt",
        [LanguageServer("clangd", "clangd", "apt install clangd")],
    ),
    Language(
        "Java",
        {"java": ".java"},
        "pom.xml build.gradle build.gradle.kts settings.gradle",
        [LanguageServer("jdtls", "jdtls", "brew install jdtls", executes=True)],
    ),
    Language(
        "JSON",
        {"json": ".json", "jsonc": ".jsonc"},
        "package.json",
        [LanguageServer("vscode-json", "vscode-json-language-server --stdio", _EXTRACTED)],
    ),
    Language(
        "HTML",
        {"html": ".html .htm"},
        "package.json",
        [LanguageServer("vscode-html", "vscode-html-language-server --stdio", _EXTRACTED)],
    ),
    Language(
        "CSS",
        {"css": ".css", "scss": ".scss", "less": ".less"},
        "package.json",
        [LanguageServer("vscode-css", "vscode-css-language-server --stdio", _EXTRACTED)],
    ),
    Language(
        "YAML",
        {"yaml": ".yaml .yml"},
        "",
        [
            LanguageServer(
                "yaml-language-server",
                "yaml-language-server --stdio",
                "npm install -g yaml-language-server",
            )
        ],
    ),
    Language(
        "Ruby",
        {"ruby": ".rb .rake .gemspec"},
        "Gemfile",
        [
            LanguageServer("ruby-lsp", "ruby-lsp", "gem install ruby-lsp", executes=True),
            LanguageServer(
                "solargraph", "solargraph stdio", "gem install solargraph", executes=True
            ),
        ],
    ),
    Language(
        "PHP",
        {"php": ".php .phtml"},
        "composer.json",
        [LanguageServer("intelephense", "intelephense --stdio", "npm install -g intelephense")],
    ),
    Language(
        "Lua",
        {"lua": ".lua"},
        ".luarc.json .luarc.jsonc",
        [
            LanguageServer(
                "lua-language-server", "lua-language-server", "brew install lua-language-server"
            )
        ],
    ),
    Language(
        "Shell",
        {"shellscript": ".sh .bash"},
        "",
        [
            LanguageServer(
                "bash-language-server",
                "bash-language-server start",
                "npm install -g bash-language-server",
            )
        ],
    ),
    Language(
        "Elixir",
        {"elixir": ".ex .exs"},
        "mix.exs",
        [LanguageServer("elixir-ls", "elixir-ls", "brew install elixir-ls")],
    ),
    Language(
        "Kotlin",
        {"kotlin": ".kt .kts"},
        "build.gradle.kts build.gradle pom.xml",
        [
            LanguageServer(
                "kotlin-language-server",
                "kotlin-language-server",
                "brew install kotlin-language-server",
            )
        ],
    ),
    Language(
        "Swift",
        {"swift": ".swift"},
        "Package.swift",
        [LanguageServer("sourcekit-lsp", "sourcekit-lsp", "brew install swift")],
    ),
    Language(
        "C#",
        {"csharp": ".cs"},
        "",
        [
            LanguageServer(
                "csharp-ls", "csharp-ls", "dotnet tool install --global csharp-ls", executes=True
            ),
            LanguageServer("OmniSharp", "omnisharp -lsp", "brew install omnisharp", executes=True),
        ],
    ),
)
NOT_YET = "starts only after the user allows it"
_BY_EXTENSION = {end: language for language in LANGUAGES for end in language.ids}


class InstalledServer(Value):
    """An installed server: its path, its folder, whether it may use the project's programs."""

    language: Language
    server: LanguageServer
    program: str
    folder: str
    own: bool = True

    @property
    def argv(self) -> list[str]:
        return [self.program, *self.server.argv[1:]]

    @property
    def key(self) -> tuple[str, str]:
        return self.program, self.folder


def find_language(path: str) -> Language:
    language = _BY_EXTENSION.get(os.path.splitext(path)[1].lower())
    if language is None:
        raise NotFound(f"no known language server for {quote(os.path.basename(path))}")
    return language


def find_language_id(path: str) -> str:
    end = os.path.splitext(path)[1].lower()
    return find_language(path).ids[end]


def is_known(path: str) -> bool:
    return os.path.splitext(path)[1].lower() in _BY_EXTENSION


def find(
    path: str, top: str, *, own: bool = True, cure: str = "", programs: str | None = None
) -> InstalledServer:
    """Return the server for a file: the project's own before any on PATH; `top` bounds the search upward. Without
    `own` only PATH is searched, and no server that runs code of the checkout: the user has not allowed its programs,
    or an agent in a sandbox could have put one there. `cure` would change that. `programs` is the PATH to search; by
    default this process's."""
    found = _search(path, top, own=own, programs=programs)
    if found is not None:
        return found
    kept = _search(path, top, own=True, programs=programs) if cure else None
    language = find_language(path)
    if kept is not None:
        what = (
            os.path.relpath(kept.program, top) if is_below(kept.program, top) else kept.server.name
        )
        does = "runs code of this checkout" if kept.server.executes else "is part of this checkout"
        raise NotFound(f"{what} {does}, and {NOT_YET}: {cure}")
    ways = " or ".join(f"`{server.install}`" for server in language.servers[:2])
    raise NotFound(f"no {language.name} language server is installed; install one: {ways}")


def _search(path: str, top: str, *, own: bool, programs: str | None) -> InstalledServer | None:
    language = find_language(path)
    folder = _folder_of(language, path, top)
    for place in list_program_folders(os.path.dirname(path), top, own=own):
        for server in language.servers:
            program = _at(server, place or programs)
            if program and (own or _is_outside(server, program, top)):
                return InstalledServer(language, server, program, folder, own)
    return None


def _is_outside(server: LanguageServer, program: str, top: str) -> bool:
    """The PATH may lead into the checkout as well."""
    return not server.executes and not is_below(program, top)


def is_below(program: str, top: str) -> bool:
    paths = (os.path.abspath(program), os.path.realpath(program))
    return any(path.startswith(top.rstrip("/") + "/") for path in paths)


def find_installed(server: LanguageServer, top: str, *, own: bool = True) -> str | None:
    places = list_program_folders(top, top, own=own)
    found = (_at(server, place) for place in places)
    return next((one for one in found if one and (own or _is_outside(server, one, top))), None)


def _at(server: LanguageServer, place: str | None) -> str | None:
    path = shutil.which(server.argv[0], path=place)
    return path if path and (server.fits is None or server.fits(path)) else None


def walk_up(folder: str, top: str) -> Iterator[str]:
    """Yield the folder and those above it up to the top."""
    while True:
        yield folder
        if folder in (top, os.path.dirname(folder)):
            return
        folder = os.path.dirname(folder)


def list_program_folders(folder: str, top: str, *, own: bool = True) -> Iterator[str | None]:
    """Yield program folders, nearest first; None stands for PATH."""
    for step in walk_up(folder, top) if own else ():
        for bins in ("node_modules/.bin", ".venv/bin", "venv/bin"):
            yield os.path.join(step, bins)
    yield None


def _folder_of(language: Language, path: str, top: str) -> str:
    """Return the nearest folder upward that looks like a project of this language, else the top."""
    for step in walk_up(os.path.dirname(path), top):
        if any(os.path.exists(os.path.join(step, marker)) for marker in language.markers):
            return step
    return top
