"""A plan's checkboxes: `- [ ]` is open, `- [x]` is done. Numbered and indented ones count as well."""

import re

from ..value import Value


class Checklist(Value):
    done: list[str]
    open: list[str]

    @property
    def total(self) -> int:
        return len(self.done) + len(self.open)


def parse_boxes(text: str) -> Checklist:
    done: list[str] = []
    still: list[str] = []
    plain = re.sub(r"(?ms)^(```|~~~).*?^\1", "", text)
    for mark, words in re.findall(r"(?m)^[ \t]*(?:[-*+]|\d+[.)])[ \t]*\[([ xX]?)\][ \t]*(.*)$", plain):
        (done if mark in "xX" and mark else still).append(words.strip())
    return Checklist(done, still)
