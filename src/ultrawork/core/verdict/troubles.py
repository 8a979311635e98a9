"""
Why a gate never came to its first test: a toolchain, a resolver, the network, a service, something not installed.

One table for all tools. A line of it says nothing by itself: whether such words excuse a run is decided by
`gate_run.find_colour` (no test may have run) and by what the same gate does on base.
"""

import re
from collections.abc import Sequence

from ..value import Value

TOOLCHAIN = "toolchain"
RESOLVER = "resolver"
NETWORK = "network"
INSTALL = "install"
SYSTEM = "system"
ELSEWHERE = "elsewhere"
CONFIGURE = "configure"
WORDS = {
    TOOLCHAIN: "its toolchain is not ready",
    RESOLVER: "its dependencies cannot be resolved",
    NETWORK: "it needs the network",
    INSTALL: "its dependencies are not installed",
    SYSTEM: "the machine lacks something",
    ELSEWHERE: "it loads another copy of the project",
    CONFIGURE: "its build is not configured here",
}
# Beginnings or parts of lines, as the tools print them; the first line that fits one is the trouble.
_TABLE: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        TOOLCHAIN,
        (
            # rustup, cargo
            r"error: rustup could not choose a version",
            r"error: no (?:override and no )?default toolchain",
            r"error: toolchain '[^']+' is not installed",
            r"error: custom toolchain '[^']+'",
            r"error: (?:the )?'[^']+' (?:binary|is not installed for the toolchain)",
            r"error: '[^']+' is not installed for the (?:custom )?toolchain",
            r"error: could not download (?:nonexistent )?(?:rust|file)",
            r"(?:error: )?rustc [\d.]+ is not supported by the following package",
            r"error: package `[^`]+` cannot be built because it requires rustc",
            r"error: linker `[^`]+` not found",
            # Go
            r"go: download go[\d.]+\S*: .*toolchain not available",
            r"go: (?:\S+ )?requires go >= [\d.]+ \(running go",
            r"go: go\.mod requires go >= [\d.]+",
            r"go: cannot find GOROOT",
            # JVM
            r"The JAVA_HOME environment variable is not defined correctly",
            r"ERROR: JAVA_HOME is (?:not set|set to an invalid directory)",
            r"\[ERROR\] .*(?:release version \S+ not supported|invalid (?:source|target) release)",
            r"\[ERROR\] No compiler is provided in this environment",
            r"(?:.*)Unsupported class file major version",
            r"Could not determine java version",
            r".*(?:Cannot find a Java installation|No matching toolchains found)",
            r"(?:Error: )?Unable to access jarfile .*gradle-wrapper\.jar",
            r"Error: Could not find or load main class org\.gradle\.wrapper",
            r".*SDK location not found",
            # Python, Node, Ruby, PHP, .NET, Elixir, Haskell, Dart, Swift
            r"error: No interpreter found for",
            r"ERROR: .*InterpreterNotFound",
            r"(?:\w+: )?(?:skipped because )?could not find python interpreter",
            r"Current Python version .* is not allowed by the project",
            r"(?:error .*: )?The engine \"node\" is incompatible",
            r"npm (?:ERR!|error) code EBADENGINE",
            r"Your Ruby version is .*, but your Gemfile specified",
            r"Composer detected issues in your platform",
            r"A compatible \.NET SDK was not found",
            r".*error (?:NETSDK1045|MSB4236)",
            r"\*\* \(Mix\) You're trying to run .* on Elixir",
            r"No compiler found, expected",
            r"The current (?:Dart|Flutter) SDK version is",
            r"error: package '[^']+' is using Swift tools version",
        ),
    ),
    (
        NETWORK,
        (
            r".*(?:Could not|Couldn't) resolve host",
            r".*Temporary failure in name resolution",
            r".*Name or service not known",
            r".*getaddrinfo (?:ENOTFOUND|EAI_AGAIN)",
            r".*java\.net\.(?:UnknownHostException|ConnectException|SocketTimeoutException|NoRouteToHost)",
            r".*dial tcp(?: \S+)?: (?:lookup|i/o timeout|connect)",
            r"npm (?:ERR!|error) code (?:ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET)",
            r"(?:Internal Error: )?Error when performing the request to https?://",
            r".*\[(?:6|7|28|35)\] (?:Could not|Couldn't|Timeout|SSL)",
            r"error: (?:error )?sending request for url",
            r".*Network is unreachable",
            r"Got socket error trying to find package",
            r".*HttpExceptionRequest",
        ),
    ),
    (
        RESOLVER,
        (
            # cargo
            r"error: failed to (?:get|download|fetch|query|sync|load source for|select a version)\b",
            r"error: no matching package(?:s)? (?:named|found)",
            r"error: unable to (?:get|update) (?:packages|registry)",
            r"error: the lock file .* needs to be updated but",
            r"error: cannot (?:update|create) the lock file",
            # Maven, Gradle, sbt
            r"\[(?:ERROR|FATAL)\] .*(?:Non-resolvable|Could not resolve dependencies|Could not transfer artifact)",
            r"\[ERROR\] Plugin \S+ or one of its dependencies could not be resolved",
            r"\[ERROR\] No plugin found for prefix",
            r"> Could not (?:resolve|download|get resource|find \S+:\S+:\S+)",
            r".*Could not resolve all (?:files|dependencies|artifacts|task dependencies)",
            r"(?:\* What went wrong: )?Plugin \[id: '[^']+'.*\] was not found",
            r"\[error\] .*(?:ResolveException|Error downloading|not found: https?://)",
            # Go
            r"go: (?:\S+: )?(?:module lookup disabled|reading https?://|unrecognized import path)",
            r"go: \S+@\S+: (?:Get|reading|invalid version|unknown revision|unrecognized import path)",
            r".*: (?:no required module provides package|cannot find module providing package)",
            r".*missing go\.sum entry",
            r"(?:pattern \S+: |go: )?(?:directory prefix \S+ does not contain main module|go\.mod file not found in)",
            r"go: cannot find main module",
            # Python, Ruby, PHP, .NET, Haskell, Dart, Swift, Julia, R
            r"ERROR: (?:Could not find a version that satisfies|No matching distribution found)",
            r".* No solution found when resolving",
            r"error: Failed to (?:fetch|download|prepare distributions|generate package metadata)",
            r"npm (?:ERR!|error) code (?:ERESOLVE|E404|ETARGET|EUSAGE)",
            r".*ERR_PNPM_(?:FETCH|META_FETCH|NO_MATCHING|OUTDATED_LOCKFILE)",
            r"Your requirements could not be resolved to an installable set",
            r"Could not find compatible versions",
            r".*error NU1\d\d\d",
            r"(?:cabal: |Error: \[Cabal-\d+\]|Error: cabal: )?.*[Cc]ould not resolve dependencies",
            r".*The package list for '[^']+' does not exist",
            r"(?:Because .*|So, because .*)version solving failed",
            r"error: [Ff]ailed to clone repository",
            r"ERROR: Unsatisfiable requirements detected",
            r"ERROR: dependenc(?:y|ies) .* not available for package",
            r".*Error: Failed to (?:install provider|query available provider)",
        ),
    ),
    (
        INSTALL,
        (
            r".*WARN.*node_modules missing",
            r"(?:Usage Error: )?The project in .* doesn't seem to have been installed",
            r".*This package doesn't seem to be present in your lockfile",
            r"Internal Error: .*: This package doesn't seem to be present",
            r"error: (?:Cannot find (?:package|module)|Could not find package)",
            r"error: Could not find a matching package for",
            r"Bundler::GemNotFound|bundler: command not found: ",
            r"Could not find (?:gem )?'?[\w.-]+'?.* in (?:any of the sources|locally installed gems|cached gems)",
            r"Run `bundle install` to install missing gems",
            r".*cannot load such file -- (?:bundler|rspec|minitest|rake)",
            r".*vendor/autoload\.php\)?: [Ff]ailed to open stream",
            r".*You must set up the project dependencies",
            r"Could not open input file: vendor/",
            r"(?:Unchecked dependencies for environment|Could not find Hex, which is needed)",
            r"\*\* \(Mix\) (?:Can't continue due to errors on dependencies|The task \"\S+\" could not be found)",
            r".*Couldn't resolve the package '[^']+'",
            r"Can't locate \S+\.pm in @INC",
            r"ERROR: (?:LoadError: )?ArgumentError: Package \w+ (?:not found in current path|\[[\w-]+\] is required)",
            r".*there is no package called ",
            r"Error: Library \"[^\"]+\"(?: in \S+)? (?:not found|is hidden)",
            r"\S+: error: unrecognized arguments: --(?:cov|timeout|asyncio|xdist|numprocesses|reruns|benchmark)",
            r"ERROR: Missing required plugins?:",
            r".*Error: (?:Missing required provider|Inconsistent dependency lock file|Module not installed)",
        ),
    ),
    (
        CONFIGURE,
        (
            r"Error: \S+ is not a directory$",
            r"Error: could not load cache",
            r"CMake Error: The (?:current CMakeCache\.txt directory|source) .*(?:is different than|does not match)",
            r"ERROR: (?:No such build data file|Directory .* is not a Meson|Current directory is not a meson)",
        ),
    ),
    (
        SYSTEM,
        (
            r".*No space left on device",
            r".*Cannot allocate memory",
            r".*fatal error: \S+\.h(?:pp|xx)?: No such file or directory",
            r".*(?:ld|ld\.\w+): (?:cannot find -l|library not found for -l)\S+",
            r"(?:CMake Error.*)?.*Could not find a package configuration file provided by",
            r".*Could NOT find \S+ \(missing:",
            r".*meson\.build:\d+:\d+: ERROR: (?:Dependency|Program|C(?:\+\+)? (?:shared or static )?library) .*not found",
            r".*ERROR: (?:Dependency \"[^\"]+\" not found|Program '[^']+' not found)",
            r"Package \S+ was not found in the pkg-config search path",
            r"No package '[^']+' found",
        ),
    ),
    # What pytest says below "import file mismatch".
    (ELSEWHERE, (r" +/\S+/(?:site|dist)-packages/\S+\.py$",)),
)  # fmt: skip
_HELP = r"\s*(?:= )?(?:help|hint|note|tip|fix)\b:? ?|\s*(?:\$ )?(?:run|try|please run|to install) |\s*try:"
_SENTENCE = r"(?i).*\b(?:run|try|use|install)\b [`'\"]"
_LOOKED = 400
_LINE = 300
_NEAR = 30
HELPS = 2


class StartTrouble(Value):
    """`kind` of the table, the first line that told it, and what the tool itself says to do."""

    kind: str
    line: str
    helps: Sequence[str] = ()

    @property
    def reason(self) -> str:
        from ..wording import cut

        return cut(f"{WORDS[self.kind]}: {self.line}", 140)


def find_start_trouble(output: str) -> StartTrouble | None:
    """The first line of the output that the table knows, and the help that follows it; a warning only if nothing else."""
    plain = re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", output)
    lines = [line[:_LINE].replace("\t", " ").rstrip() for line in plain.splitlines()]
    known = [(kind, re.compile("|".join(patterns))) for kind, patterns in _TABLE]
    warned: StartTrouble | None = None
    for index, line in enumerate(lines):
        if not line or _LOOKED <= index < len(lines) - _LOOKED:
            continue
        kind = next((kind for kind, pattern in known if pattern.match(line)), None)
        if kind is None:
            continue
        found = StartTrouble(kind, " ".join(line.split()), _list_helps(lines[index + 1 :]))
        if not line.lower().startswith("warning"):
            return found
        warned = warned or found
    return warned


def _list_helps(after: Sequence[str]) -> list[str]:
    """What the tool says to do: lines that begin as help does, else a sentence with a command in quotes."""
    near = [line for line in after[:_NEAR] if line]
    found = [line for line in near if re.match(_HELP, line, re.IGNORECASE)]
    found = found or [line for line in near if re.match(_SENTENCE, line)]
    return [" ".join(line.split()) for line in found[:HELPS]]


_MODULE = (
    r"ModuleNotFoundError: No module named '([\w.]+)'"
    r"|Cannot find (?:module|package) '([^'\s]+)'"
    r"|(?:Error|error): Cannot find package '([^']+)'"
)


def list_absent_modules(output: str) -> list[str]:
    """Modules that could not be imported, by their first name: `yaml`, `@scope/name`; none that is a path."""
    found: dict[str, None] = {}
    for match in re.finditer(_MODULE, output):
        name = next(part for part in match.groups() if part)
        if not name.startswith((".", "/", "node:")):
            found[_first_name(name)] = None
    return list(found)


def _first_name(name: str) -> str:
    if "/" in name or name.startswith("@"):
        parts = name.split("/")
        return "/".join(parts[:2]) if name.startswith("@") else parts[0]
    return name.partition(".")[0]
