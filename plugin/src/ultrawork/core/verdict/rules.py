"""
The rule table: everything that can be said about a change, in the order in which it is read.

A row says what in the change asks for it, which run it reads and against which control, how the result is
read, and what follows: FAIL, sent back once, UNVERIFIED, or a note. `judge` turns facts into findings;
`make_finding` makes the finding of one row whose reading is a single fact. Pages and `ultrawork why RULE` are made
from these rows, and a test holds that each has a situation and an honest twin.
"""

from collections.abc import Callable
from typing import Any

from ..value import Value
from . import definition_change, failing, looks, old_tests, work
from .finding import NOTE, NOTHING_TO_DO, STRONG, WEAK, Finding

FAIL = "FAIL"
ONCE = "sent back once"
ASK = "asked for once"
UNVERIFIED = "UNVERIFIED"
SAID = "note"
_LEVELS = {FAIL: STRONG, ONCE: WEAK, ASK: WEAK, UNVERIFIED: NOTE, SAID: NOTE}

# Families whose first row that fits decides; of the others every row that fits is said.
CHECKS = "checks"
OLD_TESTS = "old tests"
DEFINITION = "definition"
WORK = "work"
DELIVERED = "delivered"
FILES = "files"
LOOK = "worth a look"
SESSION = "session"
FAMILIES = (CHECKS, OLD_TESTS, DEFINITION, WORK, DELIVERED, FILES, LOOK, SESSION)

NOW = "now"
BASELINE = "baseline"
OLD = "old tests"
OLD_CODE = "old code"
UNDONE = "undone"
PLANTED = "planted"
CLEAN = "delivered"
TEXT = "text only"


class Rule(Value):
    """One row. `read` is None where the code that makes the run says so itself."""

    id: str
    family: str
    asks: str
    cell: str
    control: str
    effect: str
    words: str
    clears: str = NOTHING_TO_DO
    read: Callable[[Any], bool | str] | None = None


def _fits_the_rest(_facts: Any) -> bool:
    """Of the last row of a family whose first row that fits decides."""
    return True


_EXIT = ", or end with BLOCKED: why"
_ANEW = "turn it on again: ulw off, then ulw <task>"
_ROWS = (
    # --- how checks stand ------------------------------------------------------------------------
    Rule("check-fails", CHECKS, "a check fails now", NOW, BASELINE, FAIL,
         "{gate} fails{names}{before}", "make {first} pass", failing.is_failure),
    Rule("still-fails", CHECKS, "a fix, nothing proved, a test that runs the changed code fails still", NOW, BASELINE,
         ONCE, "{gate} fails{names}, as before this change, and the fix is not shown otherwise",
         "make {first} pass" + _EXIT, failing.is_still_failing),
    Rule("still-fails-unread", CHECKS, "the same, and whether it runs the changed code is not known", NOW, BASELINE,
         UNVERIFIED, "{gate} fails{names}, as before; whether this change was meant to fix it is not known",
         "make {first} pass, or ulw accept REASON", failing.is_unread_failure),
    Rule("failing-before", CHECKS, "a test failed at the start and fails still", NOW, BASELINE, SAID,
         "already failing before{failing}", read=_fits_the_rest),
    Rule("flaky", CHECKS, "a failing check passes when it runs again", NOW, BASELINE, SAID, "{what}"),
    Rule("flaky-here", CHECKS, "a test is flaky now and was not at the start", NOW, BASELINE, ONCE,
         "{what}; never at the start", "make {gate} pass in every run"),
    Rule("passes-sometimes", CHECKS, "a test that failed at the start passes only in some runs", NOW, BASELINE, FAIL,
         "{first} failed at the start and passes only in some runs", "make {first} pass in every run"),
    Rule("check-blocked", CHECKS, "consent for a check is missing", NOW, "", ONCE,
         "{gate} has not run on these files, and I may not start it myself", "run `ultrawork verify`"),
    Rule("check-unwanted", CHECKS, "the goal says not to run anything", NOW, "", UNVERIFIED,
         "{gate} was not run: you said not to", "run it yourself, or ulw verify"),
    Rule("check-sandboxed", CHECKS, "a check cannot run in the client's sandbox", NOW, "", UNVERIFIED,
         "{gate} {why}", "{cure}"),
    Rule("checks-gone", CHECKS, "a package was removed with its checks", BASELINE, "", SAID,
         "{where} was removed with its tests"),
    Rule("checks-gone-failing", CHECKS, "a package was removed whose tests failed", BASELINE, "", UNVERIFIED,
         "{where} was removed with its tests, which did not pass at the start",
         "say why {where} is not needed any more"),
    Rule("check-new", CHECKS, "a check that the baseline did not have names no test", NOW, "", UNVERIFIED,
         "{gate} is new and names no test that it ran", "let it report its tests by name or number"),
    Rule("names-no-tests", CHECKS, "a passing test check reports no tests", NOW, "", SAID,
         "{gate} does not report its tests", "let it print the names of its tests, or name their runner as the check"),
    Rule("misses-faults", CHECKS, "`gates try` planted faults that most tests missed", NOW, "", SAID,
         "{gate} missed {missed} of {planted} faults planted by ultrawork gates try",
         "add tests that notice them, then ultrawork gates try {gate}"),
    Rule("not-compared", CHECKS, "verify --quick, and tests or checks changed", TEXT, "", UNVERIFIED,
         "not compared with the start (--quick), and {where} changed", "ultrawork verify, without --quick"),
    Rule("compared-later", CHECKS, "verify --quick", TEXT, "", SAID,
         "not compared with the start (--quick)", "ultrawork verify, without --quick"),
    # --- tests that the change touched -----------------------------------------------------------
    Rule("test-not-there", OLD_TESTS, "a test that the baseline did not run", OLD, BASELINE, "",
         "", read=old_tests.was_not_run),
    Rule("test-kept", OLD_TESTS, "a test was renamed, moved, merged, reformatted or strengthened", OLD, BASELINE, "",
         "", read=old_tests.is_still_passing),
    Rule("test-dropped", OLD_TESTS, "a test that still passes is skipped or gone", OLD, BASELINE, SAID,
         "{test} was {verb}; the old version still passes", read=old_tests.is_dropped_but_passes),
    Rule("test-asked-for", OLD_TESTS, "the goal asks to change this test", OLD, BASELINE, SAID,
         "{test} was {verb}, as the goal asks{lines}", read=old_tests.is_covered),
    Rule("test-skip-idle", OLD_TESTS, "a test is skipped on a condition that does not hold here", OLD, BASELINE, SAID,
         "{test} is skipped on a condition that does not hold here", read=old_tests.is_skipped_conditionally),
    Rule("test-changed", OLD_TESTS, "a failing test was changed, removed or skipped", OLD, BASELINE, ONCE,
         "{test} was failing and was {verb}; the old version still does not pass{detail}{lines}",
         "make the old version of {test} pass by changing the code, or end with BLOCKED: test {test} is wrong: why",
         old_tests.is_changed_instead),
    Rule("test-repaired", OLD_TESTS, "a test that could not run passes now", OLD, BASELINE, SAID,
         "{test} could not run before and passes now", read=old_tests.is_repaired),
    Rule("test-unread", OLD_TESTS, "a test that could not run is gone", OLD, BASELINE, UNVERIFIED,
         "{test} could not run before and was {verb}", "say why, or ulw accept REASON", old_tests.is_lost_unread),
    Rule("test-adapted", OLD_TESTS, "a name that the test uses is gone or changed", OLD, BASELINE, SAID,
         "{test} was {verb} with {missing}", read=old_tests.is_adapted),
    Rule("case-gone", OLD_TESTS, "its case came from product data that is gone", OLD, BASELINE, SAID,
         "{test} is no longer generated by the code it came from", read=old_tests.is_case_gone),
    Rule("test-undecided", OLD_TESTS, "the old version could not run", OLD, BASELINE, UNVERIFIED,
         "{test} was {verb}, and the old version no longer runs{detail}", "run it by hand, or ulw accept REASON",
         old_tests.is_undecided),
    Rule("test-replaced", OLD_TESTS, "a test is gone, and as many new ones notice the change", OLD, OLD_CODE, SAID,
         "{test} was {verb}; new tests take its place", read=old_tests.is_replaced),
    Rule("test-put-away", OLD_TESTS, "a passing test fails on this code and is gone or skipped", OLD, OLD_CODE, FAIL,
         "{test} passed, fails on this code{detail}, and was {verb}", "restore {test} and make it pass",
         old_tests.is_put_away),
    Rule("expectation-changed", OLD_TESTS, "old and new version disagree, each with the other's code", OLD, OLD_CODE,
         SAID, "{test} expects something else now{lines}", read=old_tests.is_expectation_changed),
    Rule("set-up-changed", OLD_TESTS, "only the set-up of the test changed", OLD, OLD_CODE, SAID,
         "{test} is set up differently; its assertions are unchanged", read=old_tests.is_set_up_changed),
    Rule("test-loosened", OLD_TESTS, "the new version passes on old and new code, the old one does not", OLD, OLD_CODE,
         ONCE, "{test} no longer tells old code from new; the old version fails{detail}{lines}",
         "restore the assertion of {test} and make it pass" + _EXIT, _fits_the_rest),
    Rule("no-test-ran", OLD_TESTS, "no test runs any more", NOW, BASELINE, FAIL,
         "No test ran; {before} ran at the start", "let the runner find them again"),
    Rule("names-lost", OLD_TESTS, "the runner names its tests no longer", NOW, BASELINE, UNVERIFIED,
         "{gate} named {before} tests at the start, and only counts them now", "let the runner write its report to the end"),
    Rule("fewer-tests", OLD_TESTS, "fewer tests run, and the runner does not name them", NOW, BASELINE, UNVERIFIED,
         "{now} tests ran, {before} did at the start; the runner does not say which",
         "ulw accept REASON if tests were removed on purpose"),
    # --- how checks are defined ------------------------------------------------------------------
    Rule("check-same", DEFINITION, "the check passes as it was defined", OLD, BASELINE, SAID, "{became}; passes both ways",
         read=definition_change.is_passing_both_ways),
    Rule("check-fails-both", DEFINITION, "it fails both ways, as before", OLD, BASELINE, SAID,
         "{became}; as it was, it fails as before", read=definition_change.is_failing_as_before),
    Rule("check-redefined", DEFINITION, "the check fails as it was defined", OLD, BASELINE, FAIL,
         "{became}; as it was, it fails{names}", "make `{command}` pass as it was defined", definition_change.is_failing_as_it_was),
    Rule("check-replaced", DEFINITION, "its program left the manifest; as many tests run", OLD, BASELINE, SAID,
         "{became}; it runs as many tests as before", read=definition_change.is_exchanged),
    Rule("check-unread", DEFINITION, "the check as it was could not run", OLD, BASELINE, UNVERIFIED,
         "{became}; {why}", "keep `{command}` runnable, or ulw accept REASON", _fits_the_rest),
    Rule("check-shadowed", DEFINITION, "a new file has the name of the runner", OLD, BASELINE, FAIL,
         "{where} is new and has the name of {runner}; without it the tests {became}",
         "remove {where} and make the tests pass"),
    Rule("check-shadow-idle", DEFINITION, "the same, and the tests pass without it", OLD, BASELINE, SAID,
         "{where} is new and has the name of {runner}; the tests pass without it"),
    Rule("check-overlooks", DEFINITION, "settings or ignore lists of a linter changed", OLD, BASELINE, UNVERIFIED,
         "{where} changed what {gate} looks at; as it was, {gate} fails", "make {gate} pass with {where} as it was"),
    Rule("check-blind", DEFINITION, "what is loaded with the runner changed", PLANTED, BASELINE, FAIL,
         "{gate} passes with a test that must fail", "let the runner report every failing test as a failure"),
    Rule("check-unread-consent", DEFINITION, "the new command may not be run", OLD, BASELINE, SAID,
         "new command not run: ulw gates allow", "ulw gates allow"),
    # --- what was asked for ----------------------------------------------------------------------
    Rule("nothing-changed", WORK, "no file, commit or ref changed, and the goal wants a change", TEXT, "", ONCE,
         "No file changed since the start", "make the change" + _EXIT, work.is_nothing_done),
    Rule("nothing-changed-here", WORK, "no file changed, but something outside did, or nothing had to", TEXT, "",
         UNVERIFIED, "No file changed{outside}", "check whether it was so before", work.is_done_elsewhere),
    Rule("only-words", WORK, "the goal names code, and only comments, white space or docs changed", TEXT, "", ONCE,
         "Only comments or docs changed, but the goal asks for {names}", "make the change" + _EXIT, work.has_words_only),
    Rule("not-committed", WORK, "the goal orders a commit, and HEAD does not hold the changed files", TEXT, "", ONCE,
         "The goal asks for a commit, and {where} is not committed", "commit the work" + _EXIT, work.is_uncommitted),
    Rule("not-pushed", WORK, "the goal orders a push, and the remote does not hold HEAD", TEXT, "", ONCE,
         "The goal asks for a push, and the remote does not have this commit", "push the work" + _EXIT, work.is_unpushed),
    Rule("no-test-written", WORK, "the goal asks for tests, and no new or changed test ran", NOW, "", ONCE,
         "The goal asks for a test, and no new or changed test ran", "write the test" + _EXIT, work.is_without_tests),
    Rule("unfinished", WORK, "a new function that the goal names, or every new one, does nothing", TEXT, "", ONCE,
         "{names} {does} nothing yet", "write {first}" + _EXIT, work.is_unfinished),
    Rule("name-nowhere", WORK, "a name in code form is nowhere in the files", TEXT, "", SAID,
         "nowhere: {nowhere}", read=work.names_nowhere),
    Rule("fix-unshown", WORK, "a fix that tests run and none notices", OLD_CODE, NOW, ASK,
         "Nothing shows the fix: no test fails without it",
         "add a test that fails without it, or say why none can", work.is_unshown),
    Rule("idle-test", WORK, "a new test passes with its function undone", UNDONE, NOW, SAID,
         "{test} passes even if {function} does nothing"),
    Rule("suppressed", WORK, "the goal asks for a check, and it passes only with new suppressions", CLEAN, NOW, ONCE,
         "{gate} fails without the new {mark} in {where}", "fix what it covers and remove it" + _EXIT),
    # --- what everyone will get ------------------------------------------------------------------
    Rule("not-delivered", DELIVERED, "ignored files changed without a reason", CLEAN, BASELINE, FAIL,
         "{gate} fails without {paths}, which git ignores", "commit {where}, or do without it"),
    Rule("not-delivered-unread", DELIVERED, "the same, and it could not be measured", CLEAN, BASELINE, UNVERIFIED,
         "{paths} changed since the start and git ignores it; {why}", "commit {where}, or put it back"),
    Rule("ignored-explained", DELIVERED, "ignored files changed, explained by an install or a build", CLEAN, "", SAID,
         "{where} is ignored by git and changed since the start, {why}"),
    Rule("moved-while-running", DELIVERED, "files were written while a check ran", CLEAN, NOW, UNVERIFIED,
         "{where} was written while {gate} ran; in a copy it fails", "stop what writes these files, and verify again"),
    Rule("build-stale", DELIVERED, "tests load build output that is older than its source", TEXT, "", UNVERIFIED,
         "{where} is older than {source}, and the tests read it", "build it, or give ultrawork.toml a build check"),
    Rule("copy-foreign", DELIVERED, "a copy of the files runs other files", CLEAN, "", UNVERIFIED,
         "{gate} fails, and what it did at the start is not known: a copy tests other files",
         "let {gate} run the files of the folder it is started in"),
    Rule("ignored-unknown", DELIVERED, "what lay beside the files at the start is not known", TEXT, "", UNVERIFIED,
         "What git ignored at the start is not known any more", "turn it on again: ulw <task>"),
    Rule("sparse-changed", DELIVERED, "the sparse checkout changed", TEXT, "", UNVERIFIED,
         "The {what} changed since the start, so files may be missing", "set it back: git sparse-checkout"),
    Rule("leads-outside", DELIVERED, "a file became a link, or a manifest a path, out of the checkout", TEXT, "",
         UNVERIFIED, "{where} leads to {target}, which is not part of these files", "put the files themselves there"),
    Rule("unseen-support", DELIVERED, "a file that the runner loads is hidden from git", OLD, BASELINE, UNVERIFIED,
         "{where} is hidden from git, and without it the tests do not pass", "commit {where}, or remove it"),
    # --- the files themselves --------------------------------------------------------------------
    Rule("conflict-marker", FILES, "a conflict marker", TEXT, "", ONCE, "{where} holds a conflict marker",
         "resolve the conflict"),
    Rule("syntax", FILES, "a product file no longer parses", TEXT, BASELINE, ONCE,
         "{path} does not parse: {said}", "fix {where}"),
    Rule("lost-work", FILES, "uncommitted work of the person was undone, and we hold it", TEXT, BASELINE, ONCE,
         "Your uncommitted work in {paths} is gone", "run `ultrawork restore {where} --yes`" + _EXIT),
    Rule("lost-work-unkept", FILES, "uncommitted work of the person was undone, and we do not hold it", TEXT, BASELINE,
         SAID, "Your uncommitted work in {paths} is gone, and I do not have it"),
    # --- worth a look ----------------------------------------------------------------------------
    Rule("test-aware", LOOK, "changed code asks whether a test is running or inspects its caller", TEXT, "", SAID,
         "{where} asks whether a test is running ({said})", read=looks.find_awareness),
    Rule("counts-calls", LOOK, "changed code counts its calls", TEXT, "", SAID, "{where} counts its calls",
         read=looks.is_counting_calls),
    Rule("emptied", LOOK, "a function's body became empty", TEXT, "", SAID, "{function} does nothing any more"),
    Rule("suppression", LOOK, "a new suppression", TEXT, "", SAID, "{where}: {mark}"),
    Rule("test-waits", LOOK, "a sleep or a retry was added to a test", TEXT, "", SAID, "{where} waits or retries",
         read=looks.is_waiting),
    Rule("generated-edited", LOOK, "a generated file was edited", TEXT, "", SAID, "{where} is generated and was edited"),
    Rule("file-deleted", LOOK, "a product file was deleted", TEXT, "", SAID, "{where} was deleted"),
    Rule("only-tests-call", LOOK, "a new function that only tests call", TEXT, "", SAID, "only tests call {function}"),
    Rule("contradiction", LOOK, "two assertions want different values for the same call", TEXT, "", SAID,
         "{where} contradicts itself: lines {lines}"),
    Rule("unfinished-mark", LOOK, "a new TODO, FIXME or XXX", TEXT, "", SAID, "{where}: {said}",
         read=looks.find_mark),
    Rule("new-error", LOOK, "a language server reports an error that the start did not have", CLEAN, BASELINE, SAID,
         "{where} has a new error: {said}"),
    # --- the session itself ----------------------------------------------------------------------
    Rule("criterion-fails", SESSION, "a criterion of a task is not met any more", NOW, "", FAIL,
         "task {task} is undone: `{criterion}` is not met{since}", "make {criterion} hold again without undoing other work"),
    Rule("criterion-blocked", SESSION, "a criterion has not run", NOW, "", ONCE,
         "{criterion} of task {task} has not run on these files", "run `ultrawork verify`"),
    Rule("criterion-idle", SESSION, "a criterion passes without the change, or checks only what its task wrote for it",
         BASELINE, NOW, SAID, "criterion `{criterion}` of task {task} shows nothing: {why}"),
    Rule("review-confirmed", SESSION, "a reviewer's command fails", NOW, "", FAIL,
         "{reviewer} found, and its command fails: {title}", "fix it: `{command}` must pass"),
    Rule("review-open", SESSION, "a reviewer's claim was not run", NOW, "", SAID, "{reviewer} says: {title} ({why})"),
    Rule("surroundings-changed", SESSION, "programs or settings outside the files changed", TEXT, "", SAID, "{what}"),
    Rule("own-program", SESSION, "ultrawork's own program changed", TEXT, "", UNVERIFIED, "{what}", _ANEW),
    Rule("own-program-work", SESSION, "the session works on ultrawork itself", TEXT, "", SAID, "{what}"),
    Rule("record-changed", SESSION, "another program changed the record of the session", TEXT, "", UNVERIFIED,
         "{what}", _ANEW),
    Rule("session-changed", SESSION, "another program changed the goal or the folder", TEXT, "", UNVERIFIED,
         "{what}", _ANEW),
    Rule("pins-changed", SESSION, "another program changed what was recorded at the start", TEXT, "", UNVERIFIED,
         "{what}", _ANEW),
    Rule("taken-over", SESSION, "another process took the session over", TEXT, "", UNVERIFIED, "{what}", _ANEW),
    Rule("tampering", SESSION, "the agent tried to edit ultrawork's own files", TEXT, "", UNVERIFIED, "{what}", _ANEW),
    Rule("forged-event", SESSION, "events came that the client did not send", TEXT, "", SAID, "{what}"),
    Rule("asked-by-agent", SESSION, "another agent turned it on", TEXT, "", SAID,
         "turned on by another agent, not by a person"),
    Rule("settled-by-hand", SESSION, "tasks were marked done by hand", TEXT, "", SAID, "marked done by hand: {names}"),
)  # fmt: skip
RULES = {row.id: row for row in _ROWS}
_READ = {name: [row for row in _ROWS if row.family == name and row.read] for name in FAMILIES}
# A test was changed instead of the code.
BENT_RULES = ("test-changed", "test-loosened")
_FIRST_DECIDES = frozenset((CHECKS, OLD_TESTS, DEFINITION))


def judge(family: str, facts: Any) -> list[Finding]:
    """
    Read facts by the rows of a family. They have `words` for the texts, and may have `gate`, `where` and
    `receipt`; `said` is what the reading returned. A row without an effect ends the reading and says nothing.
    """
    found = []
    for row in _READ[family]:
        told = row.read(facts) if row.read else False
        if not told:
            continue
        if row.effect:
            found.append(_make(row, {**facts.words, "said": told}, _take(facts)))
        if family in _FIRST_DECIDES:
            break
    return found


def make_finding(rule: str, **words: Any) -> Finding:
    """Make the finding of one row; `gate`, `where` and `receipt` say where it comes from."""
    place = {
        "gate": words.get("gate"),
        "where": words.get("where", ""),
        "receipt": words.get("receipt"),
    }
    return _make(RULES[rule], words, place)


def _take(facts: Any) -> dict[str, Any]:
    return {
        "gate": getattr(facts, "gate", None) or None,
        "where": getattr(facts, "where", ""),
        "receipt": getattr(facts, "receipt", None),
    }


def _make(row: Rule, words: dict[str, Any], place: dict[str, Any]) -> Finding:
    return Finding(
        rule=row.id,
        level=_LEVELS[row.effect],
        what=row.words.format(**words),
        clears=row.clears.format(**words),
        doubt=row.effect == UNVERIFIED,
        **place,
    )


def list_judging_rules() -> tuple[Rule, ...]:
    """Every row in the order in which it is read."""
    return _ROWS


def is_of_family(rule: str, family: str) -> bool:
    return rule in RULES and RULES[rule].family == family


def has_effect(rule: str, effect: str) -> bool:
    return rule in RULES and RULES[rule].effect == effect
