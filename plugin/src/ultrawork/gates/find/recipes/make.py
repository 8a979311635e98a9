"""Makefiles and justfiles: targets with their bodies and prerequisites, plain variables put in."""

import re
from collections.abc import Iterator

from ....core.patterns import compile_late
from ..folder import ProjectFolder
from ..shell import quote_words
from .recipe import Recipe, RecipeBook

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
LINE = 20_000
EXPANSION = 2_000_000
NAMES_IN_RULE = 500
DEPTH = 10
INCLUDES = 10
_ASSIGN = compile_late(
    r"(?P<how>(?:(?:export|override|private)\s+)*)(?P<name>[\w.-]+)\s*(?P<op>::?:?=|[?+!]?=)(?P<value>.*)"
)
_VARIABLE = compile_late(r"\$(?:\((?P<round>[\w.-]+)\)|\{(?P<curly>[\w.-]+)\})")
_DIRECTIVES = ("ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "unexport", "vpath", "undefine")
# These change what a failing command means, or which shell runs it.
_GLOBAL = frozenset(("SHELL", ".SHELLFLAGS", "MAKEFLAGS", ".DEFAULT_GOAL"))
_SPECIAL = frozenset((".IGNORE", ".ONESHELL", ".POSIX"))


def read_makefile(project: ProjectFolder) -> RecipeBook | None:
    name = project.find_first(*MAKEFILES)
    text = project.read(name) if name else None
    if text is None:
        return None
    reader = _Reader(project, RecipeBook("make", name, "target"))
    reader.read(text, name)
    return reader.finished()


class _Reader:
    def __init__(self, project: ProjectFolder, book: RecipeBook) -> None:
        self.project = project
        self.book = book
        self.variables: dict[str, str] = {"CURDIR": "."}
        self.current: list[Recipe] = []
        self.included = 0
        self.spent = 0

    def read(self, text: str, file: str) -> None:
        for number, line in _logical_lines(text):
            if len(line) > LINE:
                continue
            if line.startswith("\t"):
                for recipe in self.current:
                    recipe.body.append(line.strip())
            elif line.strip() and not line.lstrip().startswith("#"):
                self._statement(line.partition(" #")[0].strip(), file, number)
        self.current = []

    def _statement(self, line: str, file: str, number: int) -> None:
        word = line.partition(" ")[0]
        if word in _DIRECTIVES:
            return
        assigned = _ASSIGN.fullmatch(line)
        if word in ("include", "-include", "sinclude"):
            self._include(line)
        elif assigned:
            self._assign(assigned, line)
        elif ":" in line:
            self._rule(line, file, number)

    def _assign(self, assigned: re.Match[str], line: str) -> None:
        self.current = []
        name, value = assigned["name"], assigned["value"].strip()
        if assigned["op"] == "+=" and name in self.variables:
            value = f"{self.variables[name]} {value}"[:LINE]
        elif assigned["op"] == "?=" and name in self.variables:
            return
        elif assigned["op"] == ":=":
            value = self.expand(value)
        self.variables[name] = value
        if name in _GLOBAL or "export" in assigned["how"]:
            self.book.settings.append(line)
        if name == ".DEFAULT_GOAL":
            self.book.default = value

    def _rule(self, line: str, file: str, number: int) -> None:
        left, _, right = line.partition(":")
        right, _, inline = right.lstrip(":&").partition(";")
        targets = [n for n in self.expand(left).split() if "%" not in n][:NAMES_IN_RULE]
        if _ASSIGN.fullmatch(right.strip()):
            self.book.settings += [line] if not self.current else []
            targets = []
        needs = self.expand(right).replace("|", " ").split()[:NAMES_IN_RULE]
        self.current = []
        for target in targets:
            if target.startswith(".") and "/" not in target:
                self.book.settings += [line] if target in _SPECIAL else []
                continue
            self.current.append(self._target(target, file, number, needs, inline.strip()))

    def _target(self, name: str, file: str, number: int, needs: list[str], inline: str) -> Recipe:
        recipe = self.book.add(Recipe(self.book, name, number, file=file))
        recipe.needs = list(dict.fromkeys([*recipe.needs, *needs]))[:NAMES_IN_RULE]
        recipe.body += [inline] if inline else []
        return recipe

    def _include(self, line: str) -> None:
        for name in self.expand(line).split()[1:]:
            self.included += 1
            text = self.project.read(name) if self.included <= INCLUDES else None
            if text is not None:
                self.read(text, name)

    def finished(self) -> RecipeBook:
        for recipe in self.book.recipes.values():
            recipe.body = [self._line(line, recipe) for line in recipe.body]
        self.book.settings = list(dict.fromkeys(self.book.settings))
        return self.book

    def _line(self, line: str, recipe: Recipe) -> str:
        text = self.expand(line).replace("$@", recipe.name).replace("$^", " ".join(recipe.needs))
        text = text.replace("$<", recipe.needs[0] if recipe.needs else "").replace("$$", "$")
        prefix = text[: len(text) - len(text.lstrip("@+- "))]
        return text[len(prefix) :] + (" || true" if "-" in prefix else "")

    def expand(self, text: str) -> str:
        """Plain variables replaced; functions, shell calls and unknown names stay as they are."""
        for _ in range(DEPTH):
            if "$" not in text or self.spent > EXPANSION:
                break
            wider = _VARIABLE.sub(self._value, text)
            self.spent += len(wider)
            if wider == text or len(wider) > LINE:
                break
            text = wider
        return text

    def _value(self, match: re.Match[str]) -> str:
        return self.variables.get(match["round"] or match["curly"], match[0])


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers; continued lines are joined, `define` blocks left out."""
    pending, first, defining = "", 0, False
    for number, line in enumerate(text.split("\n"), 1):
        first = first or number
        if line.endswith("\\"):
            pending += line[:-1] + " "
            continue
        whole, start, pending, first = pending + line, first, "", 0
        word = whole.strip().partition(" ")[0]
        if word in ("define", "endef"):
            defining = word == "define"
        elif not defining:
            yield start, whole


JUSTFILES = ("justfile", "Justfile", ".justfile", "JUSTFILE")
_JUST_HEAD = compile_late(r"@?(?P<name>[A-Za-z_][\w-]*)(?P<parameters>(?:\s[^:]*)?):(?!=)(?P<needs>.*)")
_JUST_VARIABLE = compile_late(r"(?:export\s+)?(?P<name>[A-Za-z_][\w-]*)\s*:=\s*(?P<quote>['\"])(?P<value>.*)(?P=quote)")
_JUST_USE = compile_late(r"\{\{\s*([A-Za-z_][\w-]*)\s*\}\}")
_JUST_FOLDER = compile_late(r"working-directory\s*[:(]\s*['\"]([^'\"]+)['\"]")
_JUST_STATEMENTS = ("alias", "export", "import", "mod", "set", "unexport")


def read_justfile(project: ProjectFolder) -> RecipeBook | None:
    name = project.find_first(*JUSTFILES)
    text = project.read(name) if name else None
    if text is None:
        return None
    recipe_book = RecipeBook("just", name, "recipe")
    variables: dict[str, str] = {}
    current: Recipe | None = None
    inside = prefix = ""
    for number, line in enumerate(text.replace("\\\n", " ").split("\n"), 1):
        if line[:1] in (" ", "\t"):
            if current and line.strip():
                current.body.append(inside + _just_line(line.strip()))
        elif line.startswith("["):
            folder = _JUST_FOLDER.search(line)
            prefix = f"cd {quote_words([folder[1]])} && " if folder else prefix
        elif line.strip():
            inside, prefix = prefix, ""
            current = _just_statement(recipe_book, variables, line, number)
    for recipe in recipe_book.recipes.values():
        recipe.body = [_JUST_USE.sub(lambda m: variables.get(m[1], m[0]), line) for line in recipe.body]
    return recipe_book


def _just_statement(book: RecipeBook, variables: dict[str, str], line: str, number: int) -> Recipe | None:
    variable = _JUST_VARIABLE.match(line)
    if variable:
        variables[variable["name"]] = variable["value"]
    if line.startswith(("set ", "export ")):
        book.settings.append(line.strip())
    head = None if variable or line.split(maxsplit=1)[0] in _JUST_STATEMENTS else _JUST_HEAD.match(line)
    if head is None:
        return None
    needs = re.findall(r"[A-Za-z_][\w-]*", re.sub(r"\(\s*([\w-]+)[^()]*\)", r" \1 ", _without_comment(head["needs"])))
    asks = any("=" not in word and word[0] != "*" for word in head["parameters"].split())
    return book.add(Recipe(book, head["name"], number, needs=needs, parameters=asks))


def _without_comment(text: str) -> str:
    return text.partition("#")[0]


def _just_line(text: str) -> str:
    prefix = text[: len(text) - len(text.lstrip("@-"))]
    return text[len(prefix) :] + (" || true" if "-" in prefix else "")
