"""CMake and Meson: tests that a build registers, and whether the build has been configured yet."""

import re
from collections.abc import Iterable

from ....core.patterns import compile_late
from ....core.verdict.gate import TEST
from ..candidate import Candidate, propose_command
from ..folder import ProjectFolder
from ..recipes.make import MAKEFILES

CMAKE = "CMakeLists.txt"
_CMAKE_FOLDERS = ("build", "_build", "out/build", "cmake-build-debug", "build/debug", "build/Debug")
_CMAKE_TEST = compile_late(
    r"^[ \t]*(?:enable_testing|add_test|include\s*\(\s*CTest|\w*_discover_tests)\b.*$", re.MULTILINE
)
# How a test must end, and what removes assertions from it.
_CMAKE_MEANING = compile_late(
    r"^[ \t]*(?:set_tests_properties|set_property\s*\(\s*TEST)\b[^)]*\)?|^.*(?:NDEBUG|CMAKE_BUILD_TYPE).*$",
    re.MULTILINE,
)
_CMAKE_BELOW = compile_late(r"^[ \t]*add_subdirectory\s*\(\s*([\w./-]+)", re.MULTILINE)
_FOLDERS = 20


def find_cmake(project: ProjectFolder) -> list[Candidate]:
    lines = list_cmake_tests(project)
    if not lines:
        return []
    folder = find_cmake_folder(project)
    if not folder and is_part_of_build(project, CMAKE):
        return []
    if not folder:
        project.leave_out("ctest", "no configured build folder. Create one: cmake -B build")
        return []
    text = f"cmake --build {folder} && ctest --test-dir {folder} --output-on-failure"
    texts = _read_below(project, CMAKE, _CMAKE_BELOW)
    meaning = [" ".join(line.split()) for content in texts.values() for line in _CMAKE_MEANING.findall(content)]
    candidate = propose_command(
        project,
        "cmake",
        TEST,
        ["sh", "-c", text],
        text=text,
        source=CMAKE,
        reason=f"tests in {CMAKE}, built in {folder}",
        definition="\n".join([*lines, *meaning]),
    )
    return [_defined_by(candidate, project, texts)]


def _read_below(project: ProjectFolder, name: str, below: re.Pattern[str]) -> dict[str, str]:
    """Return the text of a build file here and in the subfolders that it includes."""
    texts: dict[str, str] = {}
    waiting = [""]
    while waiting and len(texts) < _FOLDERS:
        folder = waiting.pop(0)
        text = project.read(f"{folder}{name}")
        if text is not None and f"{folder}{name}" not in texts:
            texts[f"{folder}{name}"] = text
            waiting += [f"{folder}{inner.strip('/')}/" for inner in below.findall(text)]
    return texts


def _defined_by(candidate: Candidate, project: ProjectFolder, names: Iterable[str]) -> Candidate:
    gate = candidate.gate
    gate.files = tuple(dict.fromkeys([*gate.files, *map(project.path, names)]))
    return candidate


def list_cmake_tests(project: ProjectFolder) -> list[str]:
    """The lines that register tests, here and in the folders below; none where nothing is registered."""
    if not project.exists(CMAKE):
        return []
    files = dict.fromkeys([CMAKE, f"test/{CMAKE}", f"tests/{CMAKE}", *_read_below(project, CMAKE, _CMAKE_BELOW)])
    texts = [project.read(file) or "" for file in files]
    return [match[0].strip() for text in texts for match in _CMAKE_TEST.finditer(text)]


def find_cmake_folder(project: ProjectFolder) -> str:
    return next((f for f in _CMAKE_FOLDERS if project.exists(f"{f}/CMakeCache.txt")), "")


def is_part_of_build(project: ProjectFolder, manifest: str) -> bool:
    """Return whether the folder around has that file too: its build is configured there, once for both."""
    around = project.sub("..") if project.where != "." else None
    return around is not None and around.exists(manifest)


MESON = "meson.build"
_MESON_FOLDERS = ("build", "builddir", "_build", "build-meson", "out")
_MESON_TEST = compile_late(r"^[ \t]*(?:test|gtest|\w+\.test)\s*\(", re.MULTILINE)
_MESON_MEANING = compile_late(
    r"^[ \t]*(?:test|gtest|\w+\.test)\s*\((?:[^()]|\([^()]*\))*\)|^.*(?:NDEBUG|b_ndebug|buildtype).*$", re.MULTILINE
)
_MESON_BELOW = compile_late(r"^[ \t]*subdir\s*\(\s*'([\w./-]+)'", re.MULTILINE)


def find_meson(project: ProjectFolder) -> list[Candidate]:
    if not has_meson_tests(project):
        return []
    folder = find_meson_folder(project)
    if not folder:
        project.leave_out("meson test", "no configured build folder. Create one: meson setup build")
        return []
    argv = ["meson", "test", "-C", folder, "--print-errorlogs"]
    reason = f"tests in {MESON}, built in {folder}"
    texts = _read_below(project, MESON, _MESON_BELOW)
    lines = [" ".join(line.split()) for text in texts.values() for line in _MESON_MEANING.findall(text)]
    candidate = propose_command(project, "meson", TEST, argv, source=MESON, reason=reason, definition="\n".join(lines))
    return [_defined_by(candidate, project, texts)]


def has_meson_tests(project: ProjectFolder) -> bool:
    """Whether the project at its top, not a part of a larger one, registers tests here or in its test folders."""
    top = project.read(MESON) or ""
    if not re.search(r"^[ \t]*project\s*\(", top, re.MULTILINE):
        return False
    below = [project.read(f"{folder}/{MESON}") or "" for folder in ("test", "tests", "src")]
    return any(_MESON_TEST.search(text) for text in (top, *below))


def find_meson_folder(project: ProjectFolder) -> str:
    return next((f for f in _MESON_FOLDERS if project.exists(f"{f}/meson-private/coredata.dat")), "")


AUTOMAKE_FILE = "Makefile.am"
_TEMPLATE = "Makefile.in"
_CONFIGURES = ("configure", "configure.ac", "configure.in", "autogen.sh")
_TEMPLATE_TEST = compile_late(r"^(?:check|tests?)\b[^=\n]*:(?!=)", re.MULTILINE)


def find_unconfigured_make(project: ProjectFolder) -> str:
    """Return the file that a Makefile with tests is still to be generated from; "" if there is none."""
    made = [name for name in MAKEFILES if project.exists(name) and not is_forerunner(project, name)]
    if any(_TEMPLATE_TEST.search(project.read(name) or "") for name in made):
        return ""
    if project.exists(AUTOMAKE_FILE) and not made:
        return AUTOMAKE_FILE
    text = project.read(_TEMPLATE) if project.find_first(*_CONFIGURES) else None
    return _TEMPLATE if text and _TEMPLATE_TEST.search(text) else ""


def is_forerunner(project: ProjectFolder, name: str) -> bool:
    """Return whether this is a GNUmakefile that only asks for ./configure until a Makefile exists."""
    if name != MAKEFILES[0] or project.find_first(*MAKEFILES[1:]):
        return False
    is_made = bool(project.find_first(*_CONFIGURES, AUTOMAKE_FILE))
    return is_made and "./configure" in (project.read(name) or "")


def needs_configuring(project: ProjectFolder) -> bool:
    """Return whether the project's tests belong to a build that is not configured here yet."""
    return bool(
        find_unconfigured_make(project)
        or (list_cmake_tests(project) and not find_cmake_folder(project))
        or (has_meson_tests(project) and not find_meson_folder(project))
    )
