"""The rule table: everything ultrawork can report about a change, in reading order.

A row says what in the change triggers it, which run it reads, which control it compares with, how to read the result,
and the effect: FAIL, sent back once, UNVERIFIED, or a note. `judge` turns facts into findings; `make_finding` makes
the finding of a row that needs a single fact. Docs and `ultrawork why RULE` are generated from these rows, and a test
requires a situation and an honest twin for each."""

from collections.abc import Callable
from typing import Any

from ..value import Value
from . import floor
from .gate_run import FAILED, PASSED, RED, SKIPPED
from .old_tests import COULD_NOT_RUN, GONE
from .verdict import NOTE, NOTHING_TO_DO, STRONG, WEAK, Finding

FAIL = "FAIL"
ONCE = "sent back once"
ASK = "asked for once"
UNVERIFIED = "UNVERIFIED"
SAID = "note"
_LEVELS = {FAIL: STRONG, ONCE: WEAK, ASK: WEAK, UNVERIFIED: NOTE, SAID: NOTE}

# In these families the first matching row decides; in the others every matching row is reported.
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
    """One row. `read` is None if the code that makes the run reports the finding itself."""

    id: str
    family: str
    asks: str
    cell: str
    control: str
    effect: str
    words: str
    clears: str = NOTHING_TO_DO
    read: Callable[[Any], object] | None = None


# The last row of a family in which the first match decides.
_ALWAYS = bool
_EXIT = ", or end with BLOCKED: why"
_ANEW = "start again: ulw off, then ulw <task>"
ROWS = (
    # --- results of checks ------------------------------------------------------------------------
    Rule("check-fails", CHECKS, "a check fails now", NOW, BASELINE, FAIL,
         "{check} fails{names}{before}", "{fix}", lambda tests: tests.counts_against),
    Rule("still-fails", CHECKS, "no test proves the fix, and a test that runs the changed code still fails", NOW, BASELINE,
         ONCE, "{check} fails{names}, as it did before, and nothing else proves the fix",
         "{fix}" + _EXIT, lambda tests: tests.is_unproved_fix and tests.reaches is True),
    Rule("still-fails-unread", CHECKS, "the same, but I cannot tell whether the test runs the changed code", NOW, BASELINE,
         UNVERIFIED, "{check} fails{names}, as it did before; I cannot tell whether this change should fix it",
         "{fix}, or ulw accept <reason>", lambda tests: tests.is_unproved_fix and tests.reaches is None),
    Rule("failing-before", CHECKS, "a test failed at the start and still fails", NOW, BASELINE, SAID,
         "already failing before{failing}", read=_ALWAYS),
    Rule("flaky", CHECKS, "a failing check passes when it runs again", NOW, BASELINE, SAID, "{what}"),
    Rule("flaky-here", CHECKS, "a test is flaky now and was not at the start", NOW, BASELINE, ONCE,
         "{what}, and never at the start", "get `{check}` to pass in every run"),
    Rule("passes-sometimes", CHECKS, "a test that failed at the start passes only in some runs", NOW, BASELINE, FAIL,
         "{first} failed at the start and passes only in some runs", "get {first} to pass in every run"),
    Rule("check-blocked", CHECKS, "I have no permission to run a check", NOW, "", ONCE,
         "{check} has not run: I have no permission to start it", "run `ultrawork verify`"),
    Rule("check-unwanted", CHECKS, "the goal says not to run anything", NOW, "", UNVERIFIED,
         "{check} did not run: you asked me not to run anything", "run it yourself, or ulw verify"),
    Rule("check-sandboxed", CHECKS, "a check cannot run in the client's sandbox", NOW, "", UNVERIFIED,
         "{check} {why}", "{cure}"),
    Rule("checks-gone", CHECKS, "a package was removed with its checks", BASELINE, "", SAID,
         "{where} was removed with its tests"),
    Rule("checks-gone-failing", CHECKS, "a package was removed whose tests failed", BASELINE, "", UNVERIFIED,
         "{where} was removed with its tests, which failed at the start",
         "explain why {where} is no longer needed"),
    Rule("check-new", CHECKS, "a check that the baseline did not have names no test", NOW, "", UNVERIFIED,
         "{check} is new and does not report its tests", "make it print the names or the number of its tests"),
    Rule("names-no-tests", CHECKS, "a passing test check reports no tests", NOW, "", SAID,
         "{check} does not report its tests", "make it print the names of its tests, or use their runner as the check"),
    Rule("misses-faults", CHECKS, "`gates try` planted faults that most tests missed", NOW, "", SAID,
         "{check} missed {missed} of {planted} faults planted by ultrawork gates try",
         "add tests that catch them, then run `ultrawork gates try {gate}`"),
    Rule("not-compared", CHECKS, "verify --quick, and tests or checks changed", TEXT, "", UNVERIFIED,
         "not compared with the baseline (--quick), and {where} changed", "run `ultrawork verify` without --quick"),
    Rule("compared-later", CHECKS, "verify --quick", TEXT, "", SAID,
         "not compared with the baseline (--quick)", "run `ultrawork verify` without --quick"),
    # --- tests that the change touched -----------------------------------------------------------
    Rule("test-not-there", OLD_TESTS, "a test that the baseline did not run", OLD, BASELINE, "",
         "", read=lambda test: test.baseline in (SKIPPED, GONE)),
    Rule("test-kept", OLD_TESTS, "a test was renamed, moved, merged, reformatted or strengthened", OLD, BASELINE, "",
         "", read=lambda test: test.old_on_new == PASSED and (test.kept_elsewhere or not test.is_absent)),
    Rule("test-dropped", OLD_TESTS, "a test that still passes is skipped or gone", OLD, BASELINE, SAID,
         "{test} was {verb}, and its old version still passes", read=lambda test: test.old_on_new == PASSED),
    Rule("test-asked-for", OLD_TESTS, "the goal asks to change this test", OLD, BASELINE, SAID,
         "{test} was {verb}, as the goal asks{lines}", read=lambda test: test.covered and not test.is_removed_with_code),
    Rule("test-skip-idle", OLD_TESTS, "a test is skipped on a condition that does not hold here", OLD, BASELINE, SAID,
         "{test} is skipped on a condition that does not hold here", read=lambda test: test.conditional and test.now == PASSED),
    Rule("test-changed", OLD_TESTS, "a failing test was changed, removed or skipped", OLD, BASELINE, ONCE,
         "{test} was failing and was {verb}, and its old version still fails{detail}{lines}",
         "change the code so that the old version of {test} passes, or end with BLOCKED: test {name} is wrong: why",
         lambda test: FAILED in (test.baseline, test.old_on_new) and test.baseline in (FAILED, COULD_NOT_RUN)),
    Rule("test-repaired", OLD_TESTS, "a test that could not run passes now", OLD, BASELINE, SAID,
         "{test} could not run before and passes now", read=lambda test: test.baseline == COULD_NOT_RUN and test.now == PASSED),
    Rule("test-unread", OLD_TESTS, "a test that could not run is gone", OLD, BASELINE, UNVERIFIED,
         "{test} could not run before and was {verb}", "explain why, or ulw accept <reason>",
         lambda test: test.baseline == COULD_NOT_RUN),
    Rule("test-adapted", OLD_TESTS, "a name that the test uses is gone or changed", OLD, BASELINE, SAID,
         "{test} was {verb} with {missing}", read=lambda test: test.old_on_new == COULD_NOT_RUN and test.missing),
    Rule("case-gone", OLD_TESTS, "its case came from product data that is gone", OLD, BASELINE, SAID,
         "{test} is no longer generated by the code it came from", read=lambda test: test.old_on_new in (GONE, SKIPPED)),
    Rule("test-undecided", OLD_TESTS, "the old version of a changed or removed test could not run", OLD, BASELINE, UNVERIFIED,
         "{test} was {verb}, and its old version no longer runs against this code{detail}",
         "run the old version yourself, or ulw accept <reason>",
         lambda test: test.old_on_new == COULD_NOT_RUN),
    Rule("test-replaced", OLD_TESTS, "a test is gone, and as many new ones with its values notice the change", OLD, OLD_CODE, SAID,
         "{test} was {verb}, and new tests replace it", read=lambda test: test.is_absent and test.replaced),
    Rule("test-put-away", OLD_TESTS, "a test passed at the start, fails on this code, and is gone or skipped", OLD, OLD_CODE, FAIL,
         "{test} was {verb}, and its old version fails on this code{detail}", "restore {test} and get it to pass",
         lambda test: test.is_absent),
    Rule("expectation-changed", OLD_TESTS, "the old test fails on the new code, and the new test on the old code", OLD, OLD_CODE,
         SAID, "{test} has a new expectation{lines}",
         read=lambda test: test.new_on_old in (FAILED, COULD_NOT_RUN) or test.moved_case),
    Rule("set-up-changed", OLD_TESTS, "only the setup of the test changed", OLD, OLD_CODE, SAID,
         "{test} has a new setup and the same assertions", read=lambda test: test.same_assertion),
    Rule("test-loosened", OLD_TESTS, "the new test passes on old and new code, the old test fails on the new", OLD, OLD_CODE,
         ONCE, "{test} was loosened: it passes with the old code too, and its old version fails{detail}{lines}",
         "restore the assertion in {test} and get it to pass" + _EXIT, _ALWAYS),
    Rule("no-test-ran", OLD_TESTS, "no test ran, but some did at the start", NOW, BASELINE, FAIL,
         "no test ran, but {before} ran at the start", "make the runner find the tests again"),
    Rule("names-lost", OLD_TESTS, "the runner no longer names its tests", NOW, BASELINE, UNVERIFIED,
         "{check} named {before} tests at the start and now only counts them",
         "make the runner print its whole report"),
    Rule("fewer-tests", OLD_TESTS, "fewer tests run, and the runner prints no names", NOW, BASELINE, UNVERIFIED,
         "only {now} tests ran, but {before} ran at the start, and the runner prints no names to compare",
         "if you removed them on purpose: ulw accept <reason>"),
    # --- how checks are defined ------------------------------------------------------------------
    Rule("check-same", DEFINITION, "the check also passes in its old form", OLD, BASELINE, SAID,
         "{check} was changed, and both forms pass: {became}. If you did not ask for it, undo it in {where}",
         read=lambda change: change.as_it_was.passes),
    Rule("check-fails-both", DEFINITION, "both forms fail, as at the start", OLD, BASELINE, SAID,
         "{became}; the old form fails as it did before",
         read=lambda change: change.as_it_was.colour == RED and change.failed_alike and not change.now.passes),
    Rule("check-redefined", DEFINITION, "the check fails in its old form", OLD, BASELINE, FAIL,
         "{check} fails as it was defined at the start ({became}){names}", "get `{check}` to pass as it was defined at the start",
         lambda change: change.as_it_was.colour == RED),
    Rule("check-never-ran", DEFINITION, "a check that could not run at the start cannot run now, or was only a guess", OLD, BASELINE, "",
         "", read=lambda change: change.never_ran and (change.guessed or not change.now.passes)),
    Rule("check-replaced", DEFINITION, "its program is no longer a dependency, and as many tests run", OLD, BASELINE, SAID,
         "{check} was changed, and it runs as many tests as before: {became}", read=lambda change: change.program_left and change.runs_as_many),
    Rule("check-unread", DEFINITION, "the old form of the check could not run", OLD, BASELINE, UNVERIFIED,
         "{became}; {why}", "get `{check}` to run again, or ulw accept <reason>", _ALWAYS),
    Rule("check-overlooks", DEFINITION, "settings or ignore lists of a linter changed", OLD, BASELINE, UNVERIFIED,
         "{where} changed what {check} covers, and {check} fails with the old settings",
         "get `{check}` to pass with the old {where}"),
    Rule("check-blind", DEFINITION, "a file that the runner loads changed", PLANTED, BASELINE, FAIL,
         "{check} passes even with a test that must fail", "make the runner fail when a test fails"),
    Rule("check-unread-consent", DEFINITION, "the new command is not allowed to run", OLD, BASELINE, SAID,
         "new command not run: ulw gates allow ({became})", "ulw gates allow"),
    # --- what was asked for ----------------------------------------------------------------------
    Rule("nothing-changed", WORK, "no file, commit or ref changed, and the goal wants a change", TEXT, "", ONCE,
         "no file has changed since the start", "make the change" + _EXIT,
         lambda done: not done.changed and not done.outside and done.expects == "work"),
    Rule("nothing-changed-here", WORK, "no file changed, but something outside the files did, or no change was needed", TEXT, "",
         UNVERIFIED, "no file changed{outside}", "check whether this was already done",
         lambda done: not done.changed and done.expects != "answer" and not (done.committed and done.outside)
         and (done.outside or done.expects == "either")),
    Rule("only-words", WORK, "the goal wants other behavior, and only comments, docs or tests changed", TEXT, "", ONCE,
         "only {kind} changed, but the goal asks for {names}", "make the change" + _EXIT,
         lambda done: done.changed and (done.words_only or done.tests_only)),
    Rule("not-committed", WORK, "the goal asks for a commit, and HEAD does not contain the changed files", TEXT, "", ONCE,
         "the goal asks for a commit, but {where} is not committed", "commit the work" + _EXIT,
         lambda done: done.asks_commit and done.uncommitted),
    Rule("not-pushed", WORK, "the goal asks for a push, and the remote does not contain HEAD", TEXT, "", ONCE,
         "the goal asks for a push, but the remote does not have this commit", "push the work" + _EXIT,
         lambda done: done.asks_push and not done.pushed and not done.uncommitted),
    Rule("no-test-written", WORK, "the goal asks for tests, and no new or changed test ran", NOW, "", ONCE,
         "the goal asks for a test, but no new or changed test ran", "write the test" + _EXIT,
         lambda done: done.changed and done.asks_tests and not done.tests_ran),
    Rule("unfinished", WORK, "a new function that the goal names, or every new one, does nothing", TEXT, "", ONCE,
         "{names} {does} nothing yet", "write {first}" + _EXIT, lambda done: done.idle),
    Rule("name-nowhere", WORK, "the goal names code that is in no file", TEXT, "", SAID,
         "no file contains {nowhere}", read=lambda done: done.nowhere),
    Rule("fix-unshown", WORK, "tests run the fix, and none of them notices it", OLD_CODE, NOW, ASK,
         "nothing shows the fix: no test fails without it",
         "add a test that fails without it, or say why none can", lambda done: done.is_unshown_fix),
    Rule("idle-test", WORK, "a new test passes without the function it tests", UNDONE, NOW, SAID,
         "{test} passes {how}"),
    Rule("suppressed", WORK, "the goal asks for a check, and it passes only with new suppressions", CLEAN, NOW, ONCE,
         "{check} fails without the new {mark} in {where}", "fix what it suppresses and remove it" + _EXIT),
    # --- what is delivered -----------------------------------------------------------------------
    Rule("not-delivered", DELIVERED, "files that git ignores changed, and no install or build explains it", CLEAN, BASELINE, FAIL,
         "`{check}` {here} without {paths}, which git ignores",
         "build {where} as part of the check, track it with `git add -f {where}`, or remove it and get `{check}` to pass"),
    Rule("not-delivered-unread", DELIVERED, "the same, and it could not be measured", CLEAN, BASELINE, UNVERIFIED,
         "git ignores {paths}, which changed since the start; {why}",
         "build {where} as part of the check, track it with `git add -f {where}`, or restore it"),
    Rule("ignored-explained", DELIVERED, "ignored files changed, explained by an install or a build", CLEAN, "", SAID,
         "git ignores {where}, which changed since the start {why}"),
    Rule("moved-while-running", DELIVERED, "files were written while a check ran", CLEAN, NOW, UNVERIFIED,
         "{where} changed while {check} ran, and {check} fails in a clean copy",
         "stop what writes these files, then run `ultrawork verify`"),
    Rule("build-stale", DELIVERED, "tests load build output that is older than its source", TEXT, "", UNVERIFIED,
         "the tests load {where}, which is older than {source}", "build it, or add a build check: ulw gates"),
    Rule("copy-foreign", DELIVERED, "a check that runs in a copy loads code from another folder", CLEAN, "", UNVERIFIED,
         "{check} fails, and I cannot compare it with the start: in a copy it loads code from another folder",
         "change {check} so that it loads the code of the folder where it is started"),
    Rule("ignored-unknown", DELIVERED, "the list of ignored files from the start is gone", TEXT, "", UNVERIFIED,
         "the list of ignored files from the start is gone", "start again: ulw <task>"),
    Rule("sparse-changed", DELIVERED, "the sparse checkout changed", TEXT, "", UNVERIFIED,
         "the {what} changed since the start, so files may be missing", "undo it: git sparse-checkout"),
    Rule("leads-outside", DELIVERED, "a link or a dependency path points outside the checkout", TEXT, "",
         UNVERIFIED, "{where} points to {target}, outside this checkout", "replace it with the files themselves"),
    Rule("unseen-support", DELIVERED, "a file that the runner loads is hidden from git", OLD, BASELINE, UNVERIFIED,
         "git does not track {where}, and the tests fail without it", "track it with `git add -f {where}`, or remove it"),
    # --- the files themselves --------------------------------------------------------------------
    Rule("conflict-marker", FILES, "a conflict marker", TEXT, "", ONCE, "{where} contains a conflict marker",
         "resolve the conflict"),
    Rule("syntax", FILES, "a product file no longer parses", TEXT, BASELINE, ONCE,
         "{path} does not parse: {said}", "fix {where}"),
    Rule("lost-work", FILES, "uncommitted work of the user was removed, and ultrawork kept a copy", TEXT, BASELINE, ONCE,
         "uncommitted work of the user is gone: {paths}", "run `ultrawork restore {which} --yes`" + _EXIT),
    Rule("lost-work-unkept", FILES, "uncommitted work of the user was removed, and ultrawork has no copy", TEXT, BASELINE,
         SAID, "uncommitted work of the user is gone, and I have no copy: {paths}"),
    # --- worth a look ----------------------------------------------------------------------------
    Rule("test-aware", LOOK, "changed code checks whether a test is running or inspects its caller", TEXT, "", SAID,
         "{where} checks whether a test is running ({said})", read=floor.find_awareness),
    Rule("counts-calls", LOOK, "changed code counts its calls", TEXT, "", SAID, "{where} counts its calls",
         read=floor.is_counting_calls),
    Rule("emptied", LOOK, "a function's body became empty", TEXT, "", SAID, "{function} no longer does anything"),
    Rule("suppression", LOOK, "a new suppression", TEXT, "", SAID, "{where}: {mark}"),
    Rule("test-waits", LOOK, "a sleep or a retry was added to a test", TEXT, "", SAID, "{where} adds a sleep or a retry",
         read=floor.is_waiting),
    Rule("generated-edited", LOOK, "a generated file was edited", TEXT, "", SAID, "{where} is a generated file and was edited by hand"),
    Rule("file-deleted", LOOK, "a product file was deleted", TEXT, "", SAID, "{where} was deleted"),
    Rule("only-tests-call", LOOK, "a new function that only tests call", TEXT, "", SAID, "only tests call {function}"),
    Rule("contradiction", LOOK, "two assertions expect different values from the same call", TEXT, "", SAID,
         "{where} expects two different values from the same call: lines {lines}"),
    Rule("unfinished-mark", LOOK, "a new TODO, FIXME or XXX", TEXT, "", SAID, "{where}: {said}",
         read=floor.find_mark),
    Rule("new-error", LOOK, "a language server reports a new error", CLEAN, BASELINE, SAID,
         "{where} has a new error: {said}"),
    # --- the session itself ----------------------------------------------------------------------
    Rule("criterion-fails", SESSION, "a criterion of a task is no longer met", NOW, "", FAIL,
         "task {task} no longer meets its criterion `{criterion}`{since}", "get `{criterion}` to pass again and keep the other work"),
    Rule("criterion-blocked", SESSION, "a criterion has not run", NOW, "", ONCE,
         "criterion `{criterion}` of task {task} has not run on these files", "run `ultrawork verify`"),
    Rule("criterion-idle", SESSION, "a criterion passes without the change, or checks only files that its task wrote",
         BASELINE, NOW, SAID, "`{criterion}` of task {task} is met, but proves nothing: {why}"),
    Rule("review-confirmed", SESSION, "a reviewer's command fails", NOW, "", FAIL,
         "{reviewer} reports a problem, and its command fails: {title}", "fix it: `{command}` must pass"),
    Rule("review-open", SESSION, "a reviewer's finding was not tested", NOW, "", SAID, "{reviewer} reports: {title} ({why})"),
    Rule("surroundings-changed", SESSION, "programs or settings outside the files changed", TEXT, "", SAID,
         "changed since ulw: {names}"),
    Rule("own-program", SESSION, "ultrawork's own program changed", TEXT, "", UNVERIFIED,
         "ultrawork's own program was changed since ulw", _ANEW),
    Rule("own-program-work", SESSION, "the session works on ultrawork itself", TEXT, "", SAID,
         "ultrawork's own program was changed since ulw"),
    Rule("record-changed", SESSION, "another program changed the record of the session", TEXT, "", UNVERIFIED,
         "another program changed the record of this session", _ANEW),
    Rule("session-changed", SESSION, "another program changed the goal or the folder", TEXT, "", UNVERIFIED,
         "another program changed the goal or the folder of this session", _ANEW),
    Rule("pins-changed", SESSION, "another program changed the session's baseline", TEXT, "", UNVERIFIED,
         "another program changed the baseline of this session, so nothing can be compared with it", _ANEW),
    Rule("taken-over", SESSION, "another process took the session over", TEXT, "", UNVERIFIED,
         "another process took over this session while its client was running", _ANEW),
    Rule("tampering", SESSION, "the agent tried to edit ultrawork's own files", TEXT, "", UNVERIFIED,
         "the agent tried to edit ultrawork's own files: {paths}", _ANEW),
    Rule("forged-event", SESSION, "events came that the client did not send", TEXT, "", SAID,
         "{count} did not come from the client and had no effect: {last}"),
    Rule("asked-by-agent", SESSION, "another agent turned ultrawork on", TEXT, "", SAID,
         "another agent turned ultrawork on, not you"),
    Rule("settled-by-hand", SESSION, "someone marked tasks as done by hand", TEXT, "", SAID, "marked done by hand: {names}"),
)  # fmt: skip
RULES = {row.id: row for row in ROWS}
_READ = {name: [row for row in ROWS if row.family == name and row.read] for name in FAMILIES}
# A test was changed instead of the code.
BENT_RULES = ("test-changed", "test-loosened")
# The check was changed instead of the code.
REDEFINED = "check-redefined"
_FIRST_DECIDES = frozenset((CHECKS, OLD_TESTS, DEFINITION))


def judge(family: str, facts: Any) -> list[Finding]:
    """Read facts with the rows of a family. Facts have `words` for the texts, and may have `gate`, `where` and
    `receipt`; `said` is what the reading returned. A row without an effect ends the reading without a finding."""
    findings = []
    for row in _READ[family]:
        reading = row.read(facts) if row.read else False
        if not reading:
            continue
        if row.effect:
            findings.append(make_finding(row.id, **{**_place(facts), **facts.words, "said": reading}))
        if family in _FIRST_DECIDES:
            break
    return findings


def _place(facts: Any) -> dict[str, Any]:
    return {name: getattr(facts, name, None) for name in ("gate", "where", "receipt")}


def make_finding(rule: str, **words: Any) -> Finding:
    """Make the finding of one row. `gate`, `where` and `receipt` say where it comes from; `check` is what a screen
    calls the gate."""
    row = RULES[rule]
    words = {"check": words.get("gate"), **words}
    return Finding(
        rule=row.id,
        level=_LEVELS[row.effect],
        what=row.words.format(**words),
        clears=row.clears.format(**words),
        gate=words.get("gate") or None,
        where=words.get("where") or "",
        receipt=words.get("receipt"),
        doubt=row.effect == UNVERIFIED,
    )


def is_of_family(rule: str, family: str) -> bool:
    return rule in RULES and RULES[rule].family == family


def has_effect(rule: str, effect: str) -> bool:
    return rule in RULES and RULES[rule].effect == effect
