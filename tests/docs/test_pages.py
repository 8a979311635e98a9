"""The pages as a whole: links lead somewhere, each has its glossary, none is longer than it says it is."""

import functools
import json
import os
import re

import pytest
import yaml

from support import judging_page, voice
from support.floor import PLUGIN, REPOSITORY
from support.situations import load

GLOSSARY = "docs/reference/glossary.md"
# Written by hand, and so held to the length of paragraphs.
GUIDES = ("README.md", "SECURITY.md", "docs/tutorial/", "docs/how-to/", "docs/explanation/", "docs/index.md")
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


def list_markdown():
    found = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "AGENTS.md", "SECURITY.md"]
    for folder, _, names in os.walk(f"{REPOSITORY}/docs"):
        found += [f"{folder}/{name}"[len(REPOSITORY) + 1 :] for name in names if name.endswith(".md")]
    return sorted(found)


PAGES = list_markdown()


@functools.cache
def read(page):
    with open(f"{REPOSITORY}/{page}", encoding="utf-8") as file:
        return file.read()


def list_anchors(page):
    """As the site and the forge make them from headings."""
    heads = re.findall(r"^#+ (.*)$", FENCED.sub("", read(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def find_dead_links(page, text):
    dead = []
    for link in LINK.findall(FENCED.sub("", text)):
        path, _, anchor = link.partition("#")
        if path.startswith(("http://", "https://")):
            continue
        target = os.path.normpath(f"{os.path.dirname(page)}/{path}").lstrip("/") if path else page
        if not os.path.exists(f"{REPOSITORY}/{target}") or (anchor and anchor not in list_anchors(target)):
            dead.append(link)
    return dead


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    assert find_dead_links(page, read(page)) == []


def test_a_dead_link_is_seen():
    text = "[a](gone.md) [b](glossary.md#gone) [c](glossary.md#glossary) [d](https://example.org/x)"
    assert find_dead_links("docs/reference/cli.md", text) == ["gone.md", "glossary.md#gone"]


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_every_page_links_to_the_glossary(page):
    assert page == GLOSSARY or "glossary.md)" in read(page)


def test_the_glossary_is_short_and_sorted():
    words = re.findall(r"^\| (?!word|---)([^|]+?) \|", read(GLOSSARY), re.MULTILINE)
    assert words == sorted(words)
    assert 15 < len(words) <= 25


def list_paragraphs(text):
    blocks = re.split(r"\n\s*\n", FENCED.sub("", text))
    return [one for one in blocks if not re.match(r"\s*(?:[|#<-]|\d+\.)", one)]


def count_sentences(paragraph):
    plain = re.sub(r"`[^`]*`|\([^)]*\)", "x", paragraph)
    return len(re.findall(r"[.?!](?=\s|$)", plain))


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith(GUIDES)])
def test_a_paragraph_has_at_most_four_sentences(page):
    generated = "Do not edit" in read(page)
    long = [one for one in list_paragraphs(read(page)) if count_sentences(one) > 4]
    assert generated or long == []


@pytest.mark.parametrize("page", PAGES)
def test_no_page_installs_our_name_from_an_index(page):
    assert voice.FROM_AN_INDEX.findall(read(page)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("pip install ultrawork", True),
        ("pipx install 'ultrawork[cluster]'", True),
        ("uv tool install ultrawork", True),
        ("pip install './ultrawork[cluster]'", False),
        ("pip install ./", False),
    ],
)
def test_an_index_is_told_from_a_clone(text, found):
    assert bool(voice.FROM_AN_INDEX.search(text)) is found


def test_the_readme_is_short_and_shows_no_picture_that_is_not_there():
    assert len(read("README.md").splitlines()) <= 120
    shown = re.findall(r"!\[[^\]]*\]\(([^)]+)\)|<img[^>]*src=\"([^\"]+)\"", read("README.md"))
    assert all(os.path.exists(f"{REPOSITORY}/{one or other}") for one, other in shown)


def test_the_changelog_tells_the_release_that_this_is():
    with open(f"{PLUGIN}/.claude-plugin/plugin.json", "rb") as file:
        version = json.load(file)["version"]
    lines = read("CHANGELOG.md").splitlines()
    assert f"## [{version}]" in next(line for line in lines if line.startswith("## "))
    heads = [line for line in lines if line.startswith("### ")]
    known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
    assert heads == [f"### {one}" for one in known if f"### {one}" in heads]
    assert len(lines) <= 80
    assert max(map(len, lines)) <= 200


def test_the_site_has_every_page_and_no_plugin():
    config = yaml.safe_load(read("mkdocs.yml"))
    (home, *groups) = config["nav"]
    pages = [home, *(page for group in groups for (named,) in [group.values()] for page in named)]
    assert sorted(f"docs/{page}" for page in pages) == [page for page in PAGES if page.startswith("docs/")]
    assert "plugins" not in config


def test_the_pages_together_stay_short():
    words = sum(len(read(page).split()) for page in PAGES if page.startswith("docs/"))
    assert words <= 34_000


def test_the_index_leads_to_every_page():
    linked = {os.path.normpath(f"docs/{link.partition('#')[0]}") for link in LINK.findall(read("docs/index.md"))}
    assert {page for page in PAGES if page.startswith("docs/")} - linked == {"docs/index.md"}


def test_the_page_of_rules_is_made_from_the_table():
    assert read(judging_page.PAGE[len(REPOSITORY) + 1 :]) == judging_page.page(load(judging_page.FOLDER))
