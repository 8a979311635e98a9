"""What was decided about security, and that it stays readable."""

import json
import os
import threading

from ultrawork.store import log


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_each_decision_is_one_line_that_only_its_owner_reads(home):
    log.write_audit(home, "permitted", {"command": "git status\nx"}, {}, 0.0)
    log.write_audit(home, "denied", {"why": "b"}, {}, 60.0)
    first, second = lines(log.locate_audit(home))
    assert first == {"at": "1970-01-01T00:00:00Z", "kind": "permitted", "command": "git status\nx"}
    assert second["kind"] == "denied"
    assert os.stat(log.locate_audit(home)).st_mode & 0o777 == 0o600


def test_secrets_are_masked_by_shape_and_by_the_variable_that_holds_them(home):
    environ = {"MY_TOKEN": "hunter2hunter2"}
    log.write_audit(home, "k", {"a": "x hunter2hunter2", "b": "AKIA" + "A" * 16}, environ, 0.0)
    (entry,) = lines(log.locate_audit(home))
    assert entry["a"] == "x [redacted MY_TOKEN]"
    assert entry["b"] == "[redacted AWS key]"


def test_long_texts_are_shortened(home):
    log.write_audit(home, "k", {"a": "x" * 10_000}, {}, 0.0)
    assert len(lines(log.locate_audit(home))[0]["a"]) == 500


def test_full_files_are_turned_over_and_only_so_many_stay(tmp_path):
    path = f"{tmp_path}/logs/a.jsonl"
    for number in range(60):
        log.append(path, json.dumps(number), limit=10, kept=3)
    older = [f"{path}.{number}" for number in (3, 2, 1)]
    assert sorted(os.listdir(f"{tmp_path}/logs"))[-4:] == [
        "a.jsonl.1", "a.jsonl.2", "a.jsonl.3", "a.jsonl.lock",
    ]  # fmt: skip
    found = [n for one in (*older, path) if os.path.exists(one) for n in lines(one)]
    assert found == list(range(found[0], 60))


def test_many_writers_lose_nothing_while_files_are_turned_over(tmp_path):
    path = f"{tmp_path}/logs/a.jsonl"

    def writer(name):
        for number in range(50):
            log.append(path, json.dumps([name, number]), limit=400, kept=1000)

    threads = [threading.Thread(target=writer, args=(name,)) for name in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    files = [one for one in os.listdir(f"{tmp_path}/logs") if not one.endswith(".lock")]
    found = [tuple(line) for one in files for line in lines(f"{tmp_path}/logs/{one}")]
    assert len(found) == len(set(found)) == 800
