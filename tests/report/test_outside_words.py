"""Words from outside on every screen: as signs, never as controls, HTML or Markdown."""

import json
import unicodedata

import pytest

from support.scene import QUICK, SESSION, Scene
from ultrawork.cli.main import load_commands
from ultrawork.cli.verbs_table import VERBS
from ultrawork.core.wording import (
    escape_html,
    escape_markdown,
    join_lines,
    quote_code,
    strip_controls,
    unescape_markdown,
)

EVIL = (
    "alter\x1b]0;title\x07 the\x1b[31m text <script>alert(1)</script> ![x](http://e/x.png)"
    " [link](http://e) `tick` | **PASS** \u202egnorw\u202c \u2066a\u2069 \x9b2J \x08\x00\nPASS  fake line"
)
NAME = "a\x1b[2J<img src=x>\u202e.txt"
# What prints something of a session; `test_every_verb_that_reads_a_session_is_walked` holds it complete.
SCREENS = [
    ("status",), ("why",), ("evidence",), ("evidence", "list"), ("evidence", "show", "1"),
    ("evidence", "--markdown"), ("report",), ("report", "--markdown"), ("report", "--diff"), ("plan",), ("session", "list"), ("session", "get"),
    ("gates",), ("task", "list"), ("logs",), ("next",), ("context", "get"), ("mode", "status"),
    ("mode", "list"), ("statusline",), ("watch",), ("undo",), ("swarm", "status"),
    ("wait", "--timeout", "0s"), ("export",), ("stats",), ("axiom", "status"), ("cancel",), ("restore",),
]  # fmt: skip
RAW = {chr(code) for code in (*range(9), *range(11, 32), *range(127, 160))}


def hidden(text):
    """Signs that a screen would obey instead of showing."""
    return sorted({c for c in text if c in RAW or unicodedata.bidirectional(c) in BIDI})


BIDI = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A session whose goal, file and last message are hostile, with everything that was answered on the way."""
    scene = Scene(str(tmp_path_factory.mktemp("words")), QUICK)
    answers = [scene.prompt(f"ulw {EVIL}")]
    scene.edit("app.txt", "wrong\n")
    answers.append(scene.stop(EVIL))
    scene.write(NAME, "x\n")
    scene.edit("app.txt", "right and more\n")
    answers.append(scene.prompt(f"ulw {EVIL} again"))
    answers += [scene.prompt(f"ulw {word}") for word in ("status", "why", "gates", "evidence")]
    answers.append(scene.stop(EVIL))
    return scene, answers


@pytest.mark.slow
def test_no_answer_of_a_hook_holds_a_control(told):
    _, answers = told
    texts = [text for answer in answers for text in strings(answer)]
    assert any("alter" in text for text in texts)
    assert [hidden(text) for text in texts if hidden(text)] == []


def strings(value):
    if isinstance(value, dict):
        return [text for one in value.values() for text in strings(one)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("words", SCREENS, ids=" ".join)
def test_no_screen_holds_a_control(told, words):
    scene, _ = told
    shown = scene.run(*words, "--session", SESSION) if takes_session(words) else scene.run(*words)
    assert hidden(shown) == []
    assert "\nPASS  fake" not in shown
    assert "a defect in ultrawork" not in shown


def takes_session(words):
    commands = load_commands(words[0])
    named = [one for one in commands if one.name == (words[1:] or [""])[0]] or commands[:1]
    return any(flag.name == "--session" for flag in named[0].flags)


def test_the_screens_show_the_goal(told):
    """So that the tests above look at something."""
    scene, _ = told
    for words in (("status",), ("evidence",), ("evidence", "--markdown"), ("report",)):
        assert "alter the text" in scene.run(*words, "--session", SESSION), words


def test_markdown_for_a_pull_request_holds_words_only(told):
    scene, _ = told
    text = scene.run("evidence", "--markdown", "--session", SESSION)
    assert "<script" not in text
    assert "](http" not in text.replace("\\](http", "")
    assert "\\*\\*PASS\\*\\*" in text


def test_the_page_holds_no_tag_of_the_goal(told, tmp_path):
    scene, _ = told
    scene.run("report", "--html", f"{tmp_path}/page.html", "--session", SESSION)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "<img" not in page
    assert hidden(page) == []


def test_json_is_read_back_as_it_was(told):
    scene, _ = told
    shown = json.loads(scene.run("session", "get", "--json", "--session", SESSION))
    assert "\x1b[31m" in json.dumps(shown, ensure_ascii=False) or "\\u001b[31m" in json.dumps(shown)


def test_every_verb_that_reads_a_session_is_walked():
    """A verb that is new here prints a goal sooner or later."""
    read = {verb for verb in VERBS if any(takes_session((verb, one.name)) for one in load_commands(verb))}
    left = read - {words[0] for words in SCREENS}
    assert left <= ACTING, f"walk {sorted(left - ACTING)}, or list what they print instead"


# They act, and answer with what they were given or with names that are checked.
ACTING = {"accept", "exec", "resume", "verify", "route"}


@pytest.mark.parametrize(
    "text", ["plain words", "tab\tand\nline", "\u00fcmlaut \u6f22\u5b57 \U0001f642 \U0001f469\u200d\U0001f467"]
)
def test_honest_words_stay(text):
    assert strip_controls(text) == text


def test_a_whole_sequence_goes_not_only_its_first_sign():
    assert strip_controls("a\x1b[31mred\x1b[0m \x1b]0;title\x07b") == "ared b"
    assert join_lines("a\x1b[2K\r\nb\u2028c") == "a b c"


def test_html_and_markdown_are_escaped_and_read_back():
    assert escape_html("<a href='x'>\"&\x1b") == "&lt;a href=&#x27;x&#x27;&gt;&quot;&amp;"
    for text in ("a_b*c", "<b>&amp;</b>", "[x](y)", "\\*", "#1 | `x`", "web/test"):
        assert unescape_markdown(escape_markdown(text)) == text
        assert not {"<", ">"} & set(escape_markdown(text))


def test_code_in_markdown_cannot_be_left():
    assert quote_code("make test") == "`make test`"
    assert quote_code("echo `x` | cat") == "``echo `x` \\| cat``"
    assert quote_code("`x") == "`` `x ``"
