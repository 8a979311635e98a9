"""
The figures of the page about the house, counted: `make generate` writes them into its table.

They are rounded, and a test allows them to lag a little behind: a page that every change rewrites is in everybody's way.
"""

import ast
import re
from collections.abc import Callable

from .floor import PLUGIN, REPOSITORY
from .house import House, read_house

PAGE = f"{REPOSITORY}/docs/explanation/architecture.md"
LAG = 0.04
SHORT = 60


def _count_short(house: House) -> float:
    return sum(lines < SHORT for lines in house.lengths().values())


def _count_values(house: House) -> float:
    return sum(
        isinstance(node, ast.ClassDef) and _is_value(node) for tree in house.trees.values() for node in tree.body
    )


def _is_value(node: ast.ClassDef) -> bool:
    marks = [*map(ast.unparse, node.decorator_list), *map(ast.unparse, node.bases)]
    return any(mark == "Value" or mark.startswith("dataclass") for mark in marks)


# By the first cell of a row: what its last number counts, and to how much it is rounded.
FIGURES: dict[str, tuple[Callable[[House], float], int]] = {
    "modules that hold something": (lambda house: len(house.sources), 10),
    "lines of `src`": (lambda house: sum(house.lengths().values()), 1000),
    "median length of a module": (House.median, 1),
    "modules under 60 lines": (_count_short, 5),
    "values declared (dataclass, `Value`)": (_count_values, 10),
}
_LAST_NUMBER = re.compile(r"\d[\d,]*(?=\D*$)")


def refresh(page: str, house: House) -> str:
    """The page with figures as they are, where they have gone too far from what it says."""
    lines = page.split("\n")
    for row in list_outdated(page, house):
        place = next(at for at, line in enumerate(lines) if line.startswith(f"| {row} |"))
        count, step = FIGURES[row]
        lines[place] = _LAST_NUMBER.sub(f"{round(count(house) / step) * step:,}", lines[place])
    return "\n".join(lines)


def list_outdated(page: str, house: House) -> list[str]:
    """Rows whose number is off by more than the lag; one that the page has not is off as well."""
    return [row for row, (count, _) in FIGURES.items() if _is_off(_read(page, row), count(house))]


def _read(page: str, row: str) -> float:
    line = next((line for line in page.split("\n") if line.startswith(f"| {row} |")), "")
    found = _LAST_NUMBER.search(line)
    return float(found[0].replace(",", "")) if found else 0.0


def _is_off(told: float, counted: float) -> bool:
    return abs(told - counted) > LAG * counted


def main() -> None:
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    made = refresh(page, read_house(f"{PLUGIN}/src/ultrawork"))
    if made != page:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(made)


if __name__ == "__main__":
    main()
