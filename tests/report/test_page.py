"""A session as one HTML page."""

import os
import re
from html.parser import HTMLParser

import pytest

from support.browser import Browser
from support.play import entry, fenced
from ultrawork.report.components import describe_colour, render_legend

# What would be fetched, run or framed.
OUTSIDE = {"script", "link", "iframe", "img", "object", "embed", "base", "form", "image", "use"}
VOID = {"meta", "br", "path", "rect"}
HOSTILE = """</title></h1><script>alert(1)</script><img src=x onerror=alert(2)>"'&amp;' onload='alert(3)"""


class Page(HTMLParser):
    """Tags and attributes as a browser sees them; every tag that is opened is closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.open, self.text = [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def written(play):
    path = f"{play.root}/report.html"
    assert path in play.run("report", "--session", "last", "--html", path)
    with open(path, encoding="utf-8") as file:
        return file.read()


@pytest.mark.slow
def test_a_page_has_graph_timeline_receipts_and_files(finished):
    text = written(finished)
    page = Page(text)
    assert page.open == []
    labels = [value for name, value in page.attributes if name == "aria-label"]
    assert labels == ["task graph", "timeline", *(f"lines of {name}.txt" for name in "abc")]
    for part in ("PASS", "Correct b", "make test", "a.txt", "Files changed", "Receipts", "3 of 3"):
        assert part in page.text


@pytest.mark.slow
def test_the_graph_has_a_box_a_task_and_a_curve_for_each_need_that_says_something(finished):
    """verify waits for all; that it waits for a is said by its waiting for b and c."""
    graph = written(finished).partition("task graph")[2].partition("</svg>")[0]
    assert graph.count("<g class='task resolved'") == 4
    assert graph.count("<path") == 2 + 2


@pytest.mark.slow
def test_the_timeline_has_a_bar_an_agent_and_a_mark_a_receipt(finished):
    line = written(finished).partition("timeline")[2].partition("</svg>")[0]
    bars = [line.count(f"class='bar {kind}'") for kind in ("explorer", "planner", "worker", "verifier")]
    assert bars == [1, 1, 3, 1]
    assert line.count("class='check green'") >= 4


@pytest.mark.slow
def test_retries_share_a_lane_and_the_attempts_are_told(play):
    play.begin()
    play.planned([entry("a")])
    agent = play.agent("worker", "a")
    play.end(agent, "Done.")
    play.end(agent, "Done.")
    play.worked("a")
    text = written(play)
    line = text.partition("timeline")[2].partition("</svg>")[0]
    assert line.count("class='bar worker'") == 2
    assert line.count(">a</text>") == 1
    assert "attempt 2" in text


@pytest.mark.slow
def test_a_page_needs_nothing_from_outside(finished):
    text = written(finished)
    page = Page(text)
    assert not OUTSIDE & set(page.tags)
    assert not {"src", "href", "srcset", "action", "style"} & {name for name, _ in page.attributes}
    assert not re.search(r"https?:|//[a-z]|url\(|@import", text)


def test_a_failed_session_shows_what_failed(failed):
    page = Page(written(failed))
    assert "failed" in page.text
    assert "FAIL" in page.text


@pytest.mark.slow
def test_what_the_verifier_found_stands_on_the_page(play):
    play.begin("--auto --max-iterations 1 correct the three texts")
    play.planned()
    for name in "abc":
        play.worked(name)
    play.stop("Done.")
    found = {"verdict": "FAIL", "findings": [{"what": "b is <untested>"}]}
    play.end(play.agent("verifier"), fenced(found))
    play.stop("Done.")
    assert "b is <untested>" in Page(written(play)).text.partition("Open findings")[2]


def test_a_session_without_a_plan_has_a_page(play):
    play.begin()
    assert "No file" not in Page(written(play)).text


@pytest.mark.parametrize("where", ["goal", "task", "reason"])
def test_hostile_words_stay_words(play, where):
    goal = HOSTILE if where == "goal" else "correct a"
    play.begin(f"--auto {goal}")
    if where != "goal":
        subject = HOSTILE if where == "task" else "Correct a"
        play.planned([entry("a", subject=subject, max_retry=0)])
        agent = play.agent("worker", "a")
        play.write("a.txt", "right\n")
        play.end(agent, f"No.\n\nBLOCKED: {HOSTILE}")
    page = Page(written(play))
    assert page.open == []
    assert "alert(1)" in page.text
    assert not OUTSIDE & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]


@pytest.mark.slow
def test_a_red_that_was_meant_has_a_colour_of_its_own_and_a_legend(finished):
    page = written(finished)
    assert "red as expected: fails without the change, as it should" in page or "meant" not in page
    receipt = {"result": "red", "run": {"on": "new-tests"}}
    assert describe_colour(receipt) == "meant"
    assert describe_colour({"result": "red", "run": {"on": "new"}}) == "red"
    assert describe_colour({"result": "red", "run": {"on": "old-tests"}}) == "red"
    assert describe_colour({"result": "green", "run": {"on": "canary"}}) == "green"
    shown = render_legend([receipt, {"result": "green", "run": {"on": "new"}}])
    assert "red as expected" in shown
    assert "red: the check failed" not in shown


@pytest.mark.slow
def test_each_receipt_opens_with_its_command_and_its_output(finished):
    page = Page(written(finished))
    receipts = [value for name, value in page.attributes if (name, value) == ("class", "receipt")]
    assert len(receipts) == len(finished.run("evidence", "list", "--session", "last").splitlines()) - 1
    assert "3 passed" in page.text
    assert "commandmake test" in page.text


def test_the_counts_of_the_page_are_those_of_the_terminal(failed):
    page = Page(written(failed))
    assert "tasks resolved1 of 2" in page.text
    assert "1 of 2 resolved" in failed.run("report", "--session", "last")
    assert "1 of 2 resolved" in failed.run("status", "--session", "last")


def test_a_claim_stands_beside_what_a_run_showed(failed):
    page = Page(written(failed))
    assert "ClaimWhat the run showedbDone.grep -q right b.txt fails" in page.text


def test_what_a_task_changed_is_shown_under_its_name(play):
    play.begin()
    play.planned()
    agent = play.agent("worker", "a")
    path = play.write("a.txt", "right\n")
    play.tool("Edit", {"file_path": path, "new_string": "right"}, agent_id=agent)
    play.write("b.txt", "right\n")
    play.end(agent, "Done.")
    play.prompt("ulw off")
    text = Page(written(play)).text.partition("What each task changed")[2]
    assert text.startswith("a 1 file, +1 -1diff --git a/a.txt b/a.txt")
    assert "author not known 1 file, +1 -1diff --git a/b.txt" in text


@pytest.mark.slow
def test_a_log_that_is_a_link_is_not_followed(finished, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("not for the page")
    folder = f"{finished.home}/sessions/{finished.session()['session_id']}/evidence"
    for name in os.listdir(folder):
        if name.endswith(".log"):
            os.unlink(f"{folder}/{name}")
            os.symlink(secret, f"{folder}/{name}")
    assert "not for the page" not in written(finished)


LOOKS = {
    "day": ((255, 255, 255), (46, 125, 79), ()),
    "night": ((20, 24, 29), (76, 175, 122), ("--blink-settings=preferredColorScheme=0",)),
}


@pytest.mark.slow
@pytest.mark.parametrize("look", LOOKS)
def test_a_browser_shows_it_by_day_and_by_night(finished, tmp_path, look):
    """Looked at by its pixels: the paper, and the badge of a PASS."""
    browser = Browser.find()
    written(finished)
    paper, badge, flags = LOOKS[look]
    seen = browser.look(f"file://{finished.root}/report.html", str(tmp_path), flags)
    assert seen.most_common(1)[0][0] == paper
    assert seen[badge] > 200


@pytest.mark.slow
def test_on_a_phone_nothing_is_wider_than_the_screen(finished, tmp_path):
    browser = Browser.find()
    written(finished)
    wide = browser.measure_width(f"{finished.root}/report.html", 390, str(tmp_path))
    assert wide <= 390
