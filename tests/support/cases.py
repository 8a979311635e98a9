"""Recorded behaviour of earlier programs as test data: the cases, and the table of where we differ and why."""

import json
import os
import re
import tomllib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_REASON = re.compile(r"^(law [1-8]|document (00\d(-00\d)?|on \w+)|defect): .{20,}")


class Cases:
    """`cases/*.json` and `differences.toml` of a folder."""

    def __init__(self, folder: str) -> None:
        areas = sorted(os.listdir(f"{folder}/cases"))
        self.all = [case for area in areas for case in _load(f"{folder}/cases/{area}")]
        with open(f"{folder}/differences.toml", "rb") as file:
            table = tomllib.load(file)
        self.different: dict[str, str] = table["differences"]
        self.not_applicable: dict[str, list[str]] = table["not_applicable"]
        self.followed: dict[str, str] = table.get("followed_all_the_same", {})

    @property
    def ids(self) -> set[str]:
        return {case["id"] for case in self.all}

    def judged(self, case: "Mapping[str, Any]", disagreements: list[str]) -> None:
        """Assert that we agree, or that the table says why not; an outdated line of the table fails as well."""
        if case["id"] in self.different:
            assert disagreements, "we agree by now; take it out of differences.toml"
        else:
            assert disagreements == [], disagreements

    def wrong_table(self) -> list[str]:
        """Return what is wrong with the table itself."""
        listed = [name for names in self.not_applicable.values() for name in names]
        doubtful = {case["id"] for case in self.all if case.get("doubtful")}
        return [
            *(f"{name} is no case" for name in self.different if name not in self.ids),
            *(f"{name} has no reason" for name, why in self.different.items() if not _REASON.match(why)),
            *(f"{name} is a case, yet not applicable" for name in listed if name in self.ids),
            *(f"{name} is listed twice" for name in set(listed) if listed.count(name) > 1),
            # The notes say that the earlier program was wrong here; following it needs a reason as well.
            *(f"{name} is doubtful, and followed" for name in (doubtful - set(self.different)) ^ set(self.followed)),
        ]  # fmt: skip


def _load(path: str) -> "list[dict[str, Any]]":
    with open(path, encoding="utf-8") as file:
        found: list[dict[str, Any]] = json.load(file)
    return found


def filled(value: "Any", places: "Mapping[str, str]") -> "Any":
    """Return the same with `{name}` replaced by its place, in every text."""
    if isinstance(value, str):
        for name, place in places.items():
            value = value.replace(f"{{{name}}}", place)
        return value
    if isinstance(value, list):
        return [filled(item, places) for item in value]
    if isinstance(value, dict):
        return {filled(key, places): filled(item, places) for key, item in value.items()}
    return value
