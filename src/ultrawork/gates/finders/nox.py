"""nox: the commands of each session, as far as they stand there as plain strings."""

from .place import Place
from .recipes import Book, Recipe
from .shell import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

FILE = "noxfile.py"


def book(place: Place) -> Book | None:
    tree = _tree(place)
    if tree is None:
        return None
    import ast

    found = Book("nox", FILE, "session")
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and _is_session(node):
            found.add(Recipe(found, node.name, node.lineno, _commands(node)))
    return found


def _tree(place: Place) -> "ast.Module | None":
    text = place.read(FILE)
    if text is None:
        return None
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        place.leave(FILE, "is no valid Python")
        return None


def _is_session(function: "ast.FunctionDef") -> bool:
    import ast

    return any("session" in ast.dump(mark) for mark in function.decorator_list)


def _commands(function: "ast.FunctionDef") -> list[str]:
    import ast

    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    runs = [call for call in calls if getattr(call.func, "attr", "") == "run"]
    return [quoted(words) for words in map(_words, runs) if words]


def _words(call: "ast.Call") -> list[str]:
    import ast

    plain = [word for word in call.args if not isinstance(word, ast.Starred)]
    return [str(word.value) if isinstance(word, ast.Constant) else "{}" for word in plain]
