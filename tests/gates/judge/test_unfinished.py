"""Unfinished work: what counts, and the honest situations that do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.gates.judge.unfinished import list_findings
from ultrawork.system.git import FileChange


class Trees:
    """Two trees in memory."""

    def __init__(self, base, new):
        self.texts = {"base": base, "new": new}

    def read(self, tree, path):
        return self.texts[tree].get(path)

    def names(self, tree):
        return list(self.texts[tree])


def judged(base, new):
    def status(path):
        return "D" if path not in new else "A" if path not in base else "M"

    paths = [path for path in {**base, **new} if base.get(path) != new.get(path)]
    changes = [FileChange(path, status(path)) for path in paths]
    return list_findings(Trees(base, new), "base", "new", changes)


def levels(path, text, before=None):
    base = {} if before is None else {path: before}
    return [finding.level for finding in judged(base, {path: text})]


def test_a_new_mark_in_product_code_is_a_weak_finding_with_its_place():
    (found,) = judged({"a.py": "x = 1\n"}, {"a.py": "x = 1\ny = 2  # TODO handle zero\n"})
    assert (found.level, found.rule, found.where) == ("weak", "unfinished", "a.py:2")
    assert found.what == 'a.py says "TODO handle zero"'


MARKS = {
    "a.py": "x = 1  # FIXME\n",
    "a.js": "f(); // TODO later\n",
    "a.ts": "/**\n * XXX why\n */\nf();\n",
    "a.go": "package a // TODO\n",
    "a.rs": "/* outer /* TODO inner */ */ fn a() {}\n",
    "A.java": "int a; // TODO\n",
    "a.rb": "a = 'x' # TODO\n",
    "run.sh": "# TODO\n",
    "a.css": "a { } /* TODO */\n",
}


@pytest.mark.parametrize("path", list(MARKS))
def test_marks_are_found_in_comments_of(path):
    assert levels(path, MARKS[path]) == ["weak"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "title = 'TODO list'\n"),
        ("a.py", '"""A TODO app."""\n'),
        ("a.py", "TODO = 1\n"),
        ("a.py", "# todo: lower case\n"),
        ("a.py", "# TODOS are many\n"),
        ("a.js", "const a = 'x // TODO';\n"),
        ("a.js", "const a = `// TODO ${b}`;\n"),
        ("a.rs", 'let a = r#"// TODO"#;\n'),
        ("a.rb", "a = '# TODO'\n"),
        ("run.sh", 'echo "# TODO" $#\n'),
        ("docs/a.md", "TODO\n"),
        ("README.md", "# TODO\n"),
        ("tests/test_a.py", "# TODO\n"),
        ("conftest.py", "# TODO\n"),
        ("vendor/a.py", "# TODO\n"),
        ("api.py", "# Generated. DO NOT EDIT\n# TODO\n"),
        ("a.bin", "TODO\n"),
    ],
)
def test_texts_docs_tests_and_other_words_do_not_count(path, text):
    assert levels(path, text) == []


@pytest.mark.parametrize(
    "comment",
    [
        "TODO(#123) x",
        "TODO(alice): x",
        "FIXME: #42",
        "TODO JIRA-7",
        "TODO @bob",
        "TODO https://x.y/1",
    ],
)
def test_a_mark_with_an_issue_a_link_or_an_owner_is_a_note(comment):
    assert levels("a.py", f"# {comment}\n") == ["note"]


def test_a_mark_that_moved_is_not_new():
    old = "def f():\n    x()  # TODO speed\n"
    assert judged({"a.py": old}, {"b.py": "x(1)  # TODO speed\n"}) == []
    assert levels("a.py", "if y:\n        x()  # TODO speed\n", before=old) == []


def test_a_generated_file_is_one_that_was_generated_before():
    before = "x = 1\n"
    assert levels("a.py", "# @generated\nx = 1  # TODO\n", before=before) == ["weak"]


def test_files_the_project_calls_generated_are_not_scanned_if_it_did_so_before():
    marked = {".gitattributes": "api_*.py linguist-generated\n"}
    assert judged(marked, marked | {"api_types.py": "# TODO\n"}) == []
    (found,) = judged({}, marked | {"api_types.py": "# TODO\n"})
    assert found.level == "weak"


STUBS = {
    "a.py": "def pay():\n    raise NotImplementedError\n",
    "b.py": "def pay():\n    '''Pays.'''\n    raise NotImplementedError('soon')\n",
    "c.py": "class A:\n    async def pay(self):\n        pass\n",
    "a.js": "export function pay(a) { throw new Error('Not implemented'); }\n",
    "b.ts": "const pay = async (a: number) => { throw new Error('TODO: pay') }\n",
    "c.js": "class A { pay(x) { throw new Error('not yet implemented'); } }\n",
    "a.go": 'package a\nfunc Pay(x int) error {\n\tpanic("not implemented")\n}\n',
    "a.rs": "pub fn pay(x: i32) -> i32 { todo!() }\n",
    "b.rs": 'impl A { fn pay(&self) { unimplemented!("pay {}", 1) } }\n',
}


@pytest.mark.parametrize("path", list(STUBS))
def test_a_function_without_a_body_is_a_weak_finding(path):
    (found,) = judged({}, {path: STUBS[path]})
    assert found.level == "weak"
    assert "pay has no body yet" in found.what or "Pay has no body yet" in found.what


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "class A(ABC):\n    def pay(self):\n        raise NotImplementedError\n"),
        ("a.py", "class A(Protocol[T]):\n    def pay(self):\n        raise NotImplementedError\n"),
        ("a.py", "class A(metaclass=ABCMeta):\n    def pay(self): raise NotImplementedError\n"),
        ("a.py", "class A:\n    @abstractmethod\n    def pay(self): raise NotImplementedError\n"),
        ("a.py", "@overload\ndef pay(a: int) -> int: pass\n"),
        ("a.py", "def pay():\n    if WINDOWS:\n        raise NotImplementedError\n    return 1\n"),
        ("a.py", "def pay():\n    raise ValueError\n"),
        ("a.py", "class A:\n    def pay(self): raise NotImplementedError\nclass B(A):\n    pass\n"),
        ("a.py", "class A:\n    def __exit__(self, *a): pass\n"),
        ("a.py", "class Quiet(Loud):\n    def pay(self): pass\n"),
        ("a.py", "def pay():\n    '''Nothing to do here.'''\n    pass\n"),
        ("a.pyi", "def pay(): pass\n"),
        ("a.js", "function pay() { throw new Error('no money'); }\n"),
        ("a.js", "function pay() { log(); throw new Error('not implemented'); }\n"),
        ("a.js", "if (x) { throw new Error('not implemented'); }\n"),
        (
            "a.js",
            "class A { pay() { throw new Error('not implemented') } }\nclass B extends A {}\n",
        ),
        ("a.go", 'package a\nfunc Pay() { panic("no money") }\n'),
        ("a.rs", "trait A { fn pay(&self) { unimplemented!() } }\n"),
        ("a.rs", "fn pay() { if x { todo!() } else { 1 } }\n"),
        ("tests/test_a.py", "def test_a():\n    raise NotImplementedError\n"),
        ("a.rb", "def pay; raise NotImplementedError; end\n"),
        ("a.py", "def (\n"),
    ],
)
def test_abstract_overridden_and_finished_functions_do_not_count(path, text):
    assert levels(path, text) == []


def test_a_function_that_was_emptied_counts():
    before = "def pay():\n    return 1\n"
    assert levels("a.py", "def pay():\n    pass\n", before=before) == ["weak"]


def test_a_function_that_was_empty_before_does_not_count():
    text = "def pay():\n    raise NotImplementedError\n"
    assert levels("a.py", text + "\n\nx = 1\n", before=text) == []


def test_a_method_filled_in_elsewhere_in_the_tree_does_not_count():
    base = {"sub.py": "class B(A):\n    def pay(self): return 1\n"}
    new = {**base, "a.py": "class A:\n    def pay(self): raise NotImplementedError\n"}
    assert judged(base, new) == []


def test_a_deleted_file_has_nothing_unfinished():
    assert judged({"a.py": "# TODO\n"}, {}) == []


def test_long_marks_are_shortened():
    (found,) = judged({}, {"a.py": f"# TODO {'x' * 90}\n"})
    assert len(found.what) < 80


SHREDS = ["# TODO", "// TODO", "/*", "*/", "'", '"', "`", "{", "}", "(", ")", "throw new Error", "'todo'", "todo!", ";",
          "class A", "trait T", "def f", ":", "\n", "    ", "raise NotImplementedError", "panic", "func f", "=", "async"]  # fmt: skip


@given(st.lists(st.sampled_from(SHREDS), max_size=15).map(" ".join))
@pytest.mark.parametrize("path", ["a.py", "a.ts", "a.go", "a.rs", "a.rb"])
def test_shreds_of_source_are_scanned_without_trouble(path, text):
    assert all(finding.level in ("weak", "note") for finding in judged({}, {path: text}))
    assert judged({path: text}, {path: text}) == []


def test_a_branch_of_a_platform_and_a_class_called_abstract_are_finished():
    branch = (
        "import sys\n\nif sys.platform == 'win32':\n    def beep():\n        raise NotImplementedError\n"
        "else:\n    def beep():\n        return 1\n"
    )
    assert levels("a.py", branch) == []
    assert (
        levels(
            "a.py", "class AbstractShelf:\n    def put(self):\n        raise NotImplementedError\n"
        )
        == []
    )
