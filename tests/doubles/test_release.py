"""What `make release-check` refuses."""

import json
import os

import pytest

from support import release


def write(folder, *versions):
    for name, version in zip(release.MANIFESTS, versions, strict=True):
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            json.dump({"version": version}, file)


def test_manifests_that_agree_give_the_version(tmp_path):
    write(tmp_path, "1.2.3", "1.2.3")
    assert release.read_version(str(tmp_path)) == "1.2.3"


def test_manifests_that_differ_are_refused(tmp_path):
    write(tmp_path, "1.2.3", "1.2.4")
    with pytest.raises(release.FaultError, match=r"1\.2\.3.*1\.2\.4"):
        release.read_version(str(tmp_path))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("# Changelog\n\n## [1.2.2] - 2026-01-01\n", r"begins with 1\.2\.2"),
        ("# Changelog\n", "begins with None"),
        ("# Changelog\n\n## [1.2.3]\n", "no date"),
    ],
)
def test_a_changelog_of_another_release_is_refused(text, fault):
    with pytest.raises(release.FaultError, match=fault):
        release.check_changelog("1.2.3", text)


def test_a_changelog_of_this_release_is_fine():
    release.check_changelog("1.2.3", "# Changelog\n\n## [1.2.3] - 2026-01-01\n\n## [1.2.2] - 2025-01-01\n")


def test_the_manifests_here_agree():
    assert release.read_version()
