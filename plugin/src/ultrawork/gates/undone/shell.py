"""Functions of shell scripts by their lines: `name() {` to a `}` with the same indentation.

They are read to tell new and empty ones; none is undone."""

from ...core.patterns import compile_late
from .source import FunctionText, SourceText, number_names

_FUNCTION = compile_late(
    r"(?m)^([ \t]*)(?:function[ \t]+)?([\w.-]+)[ \t]*\(\)\s*\{(?:([^\n]*)\}[ \t]*$|[^\n]*\n((?:.*\n)*?)\1\})"
)
_COMMENT = compile_late(r"(?:^|[ \t])#.*$")
_NOTHING = (":", "true", "return", "return 0")


def parse(text: str) -> SourceText:
    functions = []
    for match in _FUNCTION.finditer(text):
        block = match[3] if match[3] is not None else match[4]
        lines = (_COMMENT.sub("", line).strip() for line in block.replace(";", "\n").splitlines())
        code = [line for line in lines if line]
        first = text.count("\n", 0, match.start()) + 1
        body = match.span(3 if match[3] is not None else 4)
        functions.append(
            FunctionText(
                name=match[2],
                lines=(first, first + match[0].count("\n")),
                span=match.span(),
                body=body,
                head=match[2],
                code="\n".join(code),
                block=block,
                trivial=all(line in _NOTHING for line in code),
            )
        )
    return SourceText(text, number_names(functions))
