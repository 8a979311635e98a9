"""What a test file lost, for languages whose tests cannot be read one by one."""

import re
from collections.abc import Sequence

# A blank line ends a block if the next line is not indented.
_BETWEEN = re.compile(r"\n\s*\n(?=\S)")
# An import that runs nothing: it goes with what used it.
_IMPORT = re.compile(r"(?m)^[ \t]*(?:import|use|using)[ \t][\w.:*{}, ]+;$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def list_lost_blocks(before: str, after: str) -> list[str] | None:
    """Return the blocks that a text lost; None if it also has another line now."""
    # The last entry of a list that goes takes the comma or the backslash of the one before.
    old, new = ([line.rstrip(" \t,\\") for line in text.splitlines()] for text in (before, after))
    kept = 0
    runs: list[list[str]] = [[]]
    for line in old:
        if kept < len(new) and line == new[kept]:
            kept += 1
            runs.append([])
        else:
            runs[-1].append(line)
    blocks = [_IMPORT.sub("", block) for run in runs for block in _BETWEEN.split("\n".join(run))]
    return None if kept < len(new) else [block.strip("\n") for block in blocks if re.search(r"\w", block)]


def is_about(blocks: Sequence[str], names: Sequence[str], kept: str) -> bool:
    """Return whether there are blocks and each uses one of these names, or a part of one that is not in the files as
    they are now: `starts` for `ini_starts`."""
    parts = _list_words(" ".join(names)) - _list_words(kept)
    return bool(blocks) and all(_list_words(block) & (parts | set(names)) for block in blocks)


def _list_words(text: str) -> set[str]:
    """Return the identifiers of a text, and their parts in lower case."""
    names = set(re.findall(r"\w+", text))
    return names | {part.lower() for name in names for part in re.split("_+", _CAMEL.sub("_", name)) if part}
