"""Every question put to real servers; each assertion holds something that only the server can know."""

import os
import re
import shutil

import pytest

from ultrawork.codeintel.lsp.questions import FilePosition
from ultrawork.core.errors import Conflict, Trouble, UltraworkError

pytestmark = pytest.mark.slow

PYTHON = ["basedpyright-langserver", "ty", "pylsp"]
TYPED_PYTHON = PYTHON[:2]
TYPESCRIPT = ["ts6", "ts7"]
SHAPES_PY = """
    class Shape:
        def area(self) -> float:
            return 1.5

    def biggest(shapes: list[Shape]) -> Shape:
        return max(shapes, key=lambda shape: shape.area())
"""
USE_PY = """
    from shapes import Shape, biggest

    winner = biggest([Shape()])
    size = winner.area()
    name: str = winner.area()
"""
SHAPES_TS = """
    export class Shape {
      area(): number { return 1.5 }
    }
    export function biggest(shapes: Shape[]): Shape {
      return shapes.reduce((a, b) => (a.area() > b.area() ? a : b))
    }
"""
USE_TS = """
    import { Shape, biggest } from "./shapes"

    const winner = biggest([new Shape()])
    export const size = winner.area()
    export const name: string = winner.area()
"""
TSCONFIG = """
    {"compilerOptions": {"strict": true, "module": "esnext", "target": "es2022",
     "moduleResolution": "bundler", "noEmit": true, "types": []}}
"""
TS_FILES = {"shapes.ts": SHAPES_TS, "use.ts": USE_TS, "tsconfig.json": TSCONFIG}


class Project:
    def __init__(self, top, languages, end):
        self.top = top
        self.languages = languages
        self.end = end

    def path(self, stem):
        return os.path.join(self.top, stem + self.end)

    def read(self, stem):
        with open(self.path(stem)) as file:
            return file.read()

    def write(self, stem, text):
        with open(self.path(stem), "w") as file:
            file.write(text)

    def place(self, stem, word, after=""):
        """Where `word` stands in a file, after the first occurrence of `after`."""
        text = self.read(stem)
        at = text.index(word, text.index(after))
        line = text.count("\n", 0, at) + 1
        return FilePosition(self.path(stem), line, at - (text.rfind("\n", 0, at) + 1))


def python(program, only, project, languages):
    only(program)
    top = project({"shapes.py": SHAPES_PY, "use.py": USE_PY, "pyproject.toml": ""})
    return Project(top, languages(top), ".py")


@pytest.fixture(params=PYTHON)
def py(request, only, project, languages):
    return python(request.param, only, project, languages)


@pytest.fixture(params=TYPED_PYTHON)
def typed_py(request, only, project, languages):
    return python(request.param, only, project, languages)


@pytest.fixture(params=TYPESCRIPT)
def ts(request, node, languages):
    top = node(request.param, TS_FILES)
    return Project(top, languages(top), ".ts")


@pytest.fixture(params=TYPED_PYTHON + TYPESCRIPT)
def typed(request, only, project, node, languages):
    """A project of the same two files in a language whose servers know types."""
    if request.param in TYPESCRIPT:
        top = node(request.param, TS_FILES)
        return Project(top, languages(top), ".ts")
    return python(request.param, only, project, languages)


@pytest.fixture
def c(project, languages):
    if not shutil.which("clangd"):
        pytest.skip("clangd comes from the system's packages")
    top = project(
        {
            "add.h": "int add(int a, int b);\n",
            "add.c": '#include "add.h"\nint add(int a, int b) { return a + b; }\n',
            "main.c": '#include "add.h"\nint main(void) { return add(1, 2) + add(3); }\n',
            "compile_flags.txt": "-I.\n",
        }
    )
    return Project(top, languages(top), ".c")


def test_hover_tells_the_inferred_type(typed):
    place = typed.place("use", "winner")
    assert "Shape" in typed.languages.hover(place).result()


def test_hover_of_pylsp_tells_the_signature_from_the_other_file(only, project, languages):
    py = python("pylsp", only, project, languages)
    text = py.languages.hover(py.place("use", "biggest", after="winner")).result()
    assert "list[Shape]" in text


def test_the_definition_lies_in_the_other_file(py):
    place = py.place("use", "area", after="size")
    assert py.languages.definition(place).result().startswith("shapes.py:2:8  def area")


def test_the_definition_lies_in_the_other_file_of_typescript(ts):
    place = ts.place("use", "area", after="size")
    assert ts.languages.definition(place).result().startswith("shapes.ts:2:2  area(): number")


def test_references_are_found_in_files_that_were_never_opened(typed):
    text = typed.languages.references(typed.place("shapes", "biggest")).result()
    found = {line.split(":")[0] for line in text.splitlines()[1:]}
    assert found == {"shapes" + typed.end, "use" + typed.end}


def test_references_can_leave_out_the_declaration(typed):
    place = typed.place("shapes", "biggest")
    every = typed.languages.references(place).result().splitlines()
    rest = typed.languages.references(place, declaration=False).result().splitlines()
    declared = [line for line in every if line.startswith(f"shapes{typed.end}:")]
    assert len(declared) == 1
    assert set(rest[1:]) < set(every[1:])
    assert declared[0] not in rest


def test_the_outline_of_a_file_is_a_tree(typed):
    lines = typed.languages.document_symbols(typed.path("shapes")).result().splitlines()
    assert lines[0].split()[:2] == ["class", "Shape"]
    assert re.match(r"  method area(\(\))?  2", lines[1])


def test_a_symbol_is_found_by_a_part_of_its_name(typed):
    text = typed.languages.workspace_symbols("bigges", typed.path("use")).result()
    assert f"function biggest  shapes{typed.end}:" in text.replace("()", "")


def test_a_question_that_a_server_cannot_answer_is_said_so(only, project, languages):
    py = python("pylsp", only, project, languages)
    with pytest.raises(Trouble, match="pylsp does not support workspaceSymbol"):
        py.languages.workspace_symbols("biggest", py.path("use")).result()


def test_diagnostics_hold_the_type_error_and_its_place(typed):
    lines = typed.languages.diagnostics(typed.path("use"), "error").result()
    assert len(lines) == 1
    assert re.match(rf"use{typed.end}:5:\d+ error \[\S+\] .*(float|number).*str", lines[0])


def test_a_file_without_problems_has_none(typed):
    assert typed.languages.diagnostics(typed.path("shapes"), "error").result() == []


def test_diagnostics_that_are_only_pushed_are_waited_for(only, project, languages):
    only("pylsp")
    top = project({"bad.py": "import os\n\nx = undefined_name\n"})
    lines = languages(top).diagnostics(f"{top}/bad.py").result()
    assert any("undefined name 'undefined_name'" in line for line in lines)


def test_diagnostics_follow_a_change_in_another_file(typed):
    assert typed.languages.diagnostics(typed.path("use"), "error").result()
    declared = "-> float" if typed.end == ".py" else "area(): number"
    returned = "return 1.5"
    text = typed.read("shapes")
    text = text.replace(declared, declared.replace("float", "str").replace("number", "string"))
    typed.write("shapes", text.replace(returned, 'return "wide"'))
    problems = typed.languages.diagnostics(typed.path("use"), "error").result()
    assert problems == []


def test_pushed_diagnostics_follow_a_change_of_the_file(only, project, languages):
    only("pylsp")
    top = project({"bad.py": "x = undefined_name\n"})
    asked = languages(top)
    assert "undefined_name" in str(asked.diagnostics(f"{top}/bad.py").result())
    project({"bad.py": "undefined_name = 1\nx = undefined_name\n"})
    assert "undefined_name" not in str(asked.diagnostics(f"{top}/bad.py").result())


def test_a_folder_is_checked_file_by_file(typed_py):
    progress = []
    text = typed_py.languages.directory(
        typed_py.top, "auto", lambda done, wanted: progress.append((done, wanted))
    ).result()
    assert "(2 files checked)" in text
    assert "use.py:5:" in text
    assert progress[-1] == (2, 2)


@pytest.mark.parametrize("strategy", ["tsc", "lsp"])
def test_a_folder_is_checked_by_compiler_and_by_server_alike(ts, strategy):
    text = ts.languages.directory(ts.top, strategy, lambda *_: None).result()
    assert re.search(r"use\.ts:5:\d+ error \[(TS)?2322\]", text)


def test_what_can_be_renamed_is_told_before(typed):
    text = typed.languages.prepare_rename(typed.place("shapes", "biggest")).result()
    assert text.startswith("biggest can be renamed")


def test_a_keyword_cannot_be_renamed(typed):
    word = "import" if typed.end == ".ts" else "from"
    with pytest.raises(UltraworkError, match=r"cannot|nothing|not|can't"):
        typed.languages.prepare_rename(typed.place("use", word)).result()


def test_a_rename_is_only_previewed_unless_asked_to_apply(typed):
    before = typed.read("shapes"), typed.read("use")
    text = typed.languages.rename(typed.place("shapes", "biggest"), "largest").result()
    assert text.startswith("2 files would change")
    assert "largest" in text
    assert (typed.read("shapes"), typed.read("use")) == before


def test_a_rename_is_applied_to_every_file(typed):
    place = typed.place("shapes", "biggest")
    typed.languages.rename(place, "largest", apply=True).result()
    text = typed.read("shapes") + typed.read("use")
    assert text.count("largest") == 3
    assert "biggest" not in text
    assert len(typed.languages.diagnostics(typed.path("use"), "error").result()) == 1


def test_pylsp_renames_across_files(only, project, languages):
    py = python("pylsp", only, project, languages)
    py.languages.rename(py.place("shapes", "biggest"), "largest", apply=True).result()
    assert "largest([Shape()])" in py.read("use")


def test_a_rename_sees_what_was_written_a_moment_ago(typed):
    typed.languages.hover(typed.place("use", "winner")).result()
    typed.write(
        "use",
        typed.read("use")
        + "\nextra = biggest([])\n".replace("extra", "const extra" if typed.end == ".ts" else "extra"),
    )
    typed.languages.rename(typed.place("shapes", "biggest"), "largest", apply=True).result()
    assert "extra = largest([])" in typed.read("use")


def test_an_action_is_listed_previewed_and_applied(ts):
    ts.write("use", "const shape = new Shape()\nexport const size = shape.area()\n")
    start = ts.place("use", "Shape")
    end = FilePosition(start.path, start.line, start.character + len("Shape"))
    listed = ts.languages.code_actions(start, end).result().splitlines()
    number = next(int(line.split(".")[0]) for line in listed if "import from" in line.lower())
    preview = ts.languages.resolve_action(start, end, number).result()
    assert preview.startswith("1 file would change")
    assert "import" not in ts.read("use")
    ts.languages.resolve_action(start, end, number, apply=True).result()
    assert re.search(r'import \{ Shape \} from ["\']\./shapes["\']', ts.read("use"))
    assert ts.languages.diagnostics(ts.path("use"), "error").result() == []


def test_an_action_is_refused_after_the_file_changed(ts):
    ts.write("use", "const shape = new Shape()\n")
    start = ts.place("use", "Shape")
    end = FilePosition(start.path, start.line, start.character + len("Shape"))
    ts.languages.code_actions(start, end).result()
    ts.write("use", "const shape = new Shape() // other\n")
    with pytest.raises(Conflict, match="changed since its actions were listed"):
        ts.languages.resolve_action(start, end, 1, apply=True).result()


def test_ty_offers_an_action_for_its_own_diagnostic(only, project, languages):
    only("ty")
    top = project({"a.py": 'print("a" + reveal_type(1))\n'})
    asked = languages(top)
    lines = asked.code_actions(FilePosition(f"{top}/a.py", 1, 0), FilePosition(f"{top}/a.py", 1, 20)).result()
    assert lines.startswith("1. ")


def test_clangd_counts_the_arguments_of_a_function_declared_elsewhere(c):
    assert any(
        "Too few arguments" in line and line.startswith("main.c:2:")
        for line in c.languages.diagnostics(c.path("main")).result()
    )


def test_clangd_finds_the_declaration_and_the_uses(c):
    text = c.languages.references(c.place("main", "add", after="return")).result()
    assert "add.h:1:4" in text
    assert text.count("main.c:2:") >= 2


def test_clangd_renames_in_header_and_sources(c):
    c.languages.document_symbols(c.path("add")).result()
    preview = c.languages.rename(c.place("main", "add", after="return"), "sum").result()
    assert "+int sum(int a, int b);" in preview


def test_clangd_applies_an_action_that_is_a_command(c):
    c.end = ".cpp"
    c.write("main", "int main() { int x = 1 + 2 * 3; return x; }\n")
    start = c.place("main", "2 * 3")
    end = FilePosition(start.path, 1, start.character + len("2 * 3"))
    listed = c.languages.code_actions(start, end).result().splitlines()
    number = next(int(line.split(".")[0]) for line in listed if "Extract" in line)
    assert "only with apply" in c.languages.resolve_action(start, end, number).result()
    c.languages.resolve_action(start, end, number, apply=True).result()
    assert "= 2 * 3;" in c.read("main")


WEB = {
    "a.json": ('{"a": 1, "a": 2}', "Duplicate object key"),
    "a.css": ("body { colr: red; }", "Unknown property: 'colr'"),
    "a.yaml": ("a: 1\nb: [1, 2\n", "error"),
    "a.php": ("<?php\nfunction f(int $x): int { return $x; }\necho g(1);\n", "Undefined function 'g'"),
    "a.html": ("<style>body { colr: red; }</style>", "Unknown property: 'colr'"),
}


@pytest.mark.parametrize("name", WEB)
def test_the_webs_languages_are_really_checked(name, node, languages):
    text, problem = WEB[name]
    top = node("web", {name: text})
    assert problem in "\n".join(languages(top).diagnostics(f"{top}/{name}").result())


def test_a_shell_function_is_found_by_its_call(node, languages):
    top = node("web", {"a.sh": 'greet() {\n  echo "$1"\n}\ngreet you\n'})
    assert languages(top).definition(FilePosition(f"{top}/a.sh", 4, 1)).result().startswith("a.sh:1:0")
