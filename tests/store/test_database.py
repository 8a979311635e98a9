"""Opening the database, and transactions that hold or fail."""

import os
import sqlite3
import subprocess
import sys
import threading

import pytest

from support.floor import PLUGIN
from ultrawork.core.errors import Conflict, Trouble
from ultrawork.store import database as module
from ultrawork.store.database import SCHEMA, Database, Transaction


@pytest.fixture
def path(tmp_path):
    return f"{tmp_path}/state/ultrawork.db"


@pytest.fixture
def database(path):
    database = Database(path)
    database.rows("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")
    yield database
    database.close()


def notes(database):
    return [text for (text,) in database.rows("SELECT text FROM notes ORDER BY id")]


def add(database, text):
    database.rows("INSERT INTO notes (text) VALUES (?)", text)


class BoomError(Exception):
    pass


def fail_after_writing(database):
    with Transaction(database):
        add(database, "one")
        raise BoomError


def fail_at_commit(database):
    with Transaction(database):
        add(database, "one")
        database.rows("INSERT INTO links VALUES (99)")


def test_a_fresh_database_has_the_newest_schema_in_a_private_folder(path):
    database = Database(path)
    assert database.value("PRAGMA user_version") == SCHEMA
    assert database.value("PRAGMA journal_mode") == "wal"
    assert database.value("PRAGMA foreign_keys") == 1
    assert os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700
    database.close()


def test_every_migration_is_counted():
    folder = f"{PLUGIN}/src/ultrawork/store/migrations"
    numbers = sorted(int(name[:3]) for name in os.listdir(folder) if name.endswith(".sql"))
    assert numbers == list(range(1, SCHEMA + 1))


def test_a_database_of_the_first_schema_is_brought_up_to_date_with_what_it_holds(path):
    os.makedirs(os.path.dirname(path))
    old = sqlite3.connect(path)
    with open(f"{PLUGIN}/src/ultrawork/store/migrations/001_floor.sql", encoding="utf-8") as sql:
        old.executescript(sql.read())
    old.execute(
        "INSERT INTO sessions VALUES ('s','session','g','/p','PLANNING','not_started',1,1,'{}','{}',"
        "'{}',NULL,NULL,0.0,0.0,NULL,0,'','s')"
    )
    old.execute("PRAGMA user_version=1")
    old.commit()
    old.close()
    database = Database(path)
    assert database.value("PRAGMA user_version") == SCHEMA
    assert database.value("SELECT goal FROM sessions") == "g"
    assert database.rows("SELECT * FROM receipts") == []
    database.close()


def test_a_newer_schema_is_refused_with_a_sentence_and_left_alone(path, database):
    database.rows(f"PRAGMA user_version={SCHEMA + 1}")
    with pytest.raises(Trouble, match="was written by a newer ultrawork"):
        Database(path)
    assert database.value("PRAGMA user_version") == SCHEMA + 1


def test_a_transaction_keeps_everything(database):
    with Transaction(database):
        add(database, "one")
        add(database, "two")
    assert notes(database) == ["one", "two"]


def test_a_transaction_that_fails_keeps_nothing(database):
    with pytest.raises(BoomError):
        fail_after_writing(database)
    assert notes(database) == []
    with Transaction(database):
        add(database, "after")
    assert notes(database) == ["after"]


def test_a_commit_that_fails_keeps_nothing(database):
    database.rows("CREATE TABLE links (note INTEGER REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED)")
    with pytest.raises(sqlite3.IntegrityError):
        fail_at_commit(database)
    assert notes(database) == []
    with Transaction(database):
        add(database, "after")


def test_a_durable_transaction_is_flushed_and_the_next_is_not(database):
    with Transaction(database, durable=True):
        assert database.value("PRAGMA synchronous") == 2
        add(database, "one")
    assert database.value("PRAGMA synchronous") == 1
    with pytest.raises(BoomError), Transaction(database, durable=True):
        raise BoomError
    assert database.value("PRAGMA synchronous") == 1


def test_what_others_have_not_committed_is_not_seen(path, database):
    other = Database(path)
    with Transaction(database):
        add(database, "one")
        assert notes(other) == []
    assert notes(other) == ["one"]
    other.close()


def test_a_writer_that_waits_too_long_says_so(path, database):
    other = Database(path, patience=0.05)
    with Transaction(database), pytest.raises(Conflict, match="another program is using the database"):
        other.rows("BEGIN IMMEDIATE")
    other.close()


def test_a_writer_waits_for_the_one_before_it(path, database):
    held, results = threading.Event(), []

    def write():
        other = Database(path)
        held.wait()
        with Transaction(other):
            add(other, "second")
        results.append(notes(other))
        other.close()

    thread = threading.Thread(target=write)
    thread.start()
    with Transaction(database):
        held.set()
        add(database, "first")
    thread.join(60)
    assert results == [["first", "second"]]


@pytest.mark.parametrize("text", ["a\udc80b", "\ud800", "é\udcff"])
def test_bytes_of_no_encoding_are_stored_as_question_marks(database, text):
    add(database, text)
    database.execute_many("INSERT INTO notes (text) VALUES (?)", [[text], ["plain"]])
    clean = text.encode("utf-8", "replace").decode()
    assert notes(database) == [clean, clean, "plain"]


def test_a_bug_of_ours_is_not_called_trouble(database):
    with pytest.raises(sqlite3.OperationalError):
        database.rows("SELECT nothing FROM nowhere")
    with pytest.raises(sqlite3.IntegrityError):
        database.execute_many("INSERT INTO notes (text) VALUES (?)", [[None]])


def test_a_file_that_is_no_database_is_named(path):
    os.makedirs(os.path.dirname(path))
    with open(path, "w", encoding="utf-8") as file:
        file.write("these are not the tables you are looking for, nor any others" * 100)
    with pytest.raises(Trouble, match=r"is not a database\. Move it away"):
        Database(path)


def test_a_damaged_database_is_named(path, database):
    with Transaction(database):
        for number in range(2000):
            add(database, f"{number}" * 20)
    database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    with open(path, "r+b") as file:
        file.seek(8 * 4096)
        file.write(os.urandom(64 * 4096))
    with pytest.raises(Trouble, match=r"is damaged\. Move it away"):
        Database(path).rows("SELECT sum(length(text)) FROM notes")


@pytest.mark.parametrize("place", ["", "/state", "/state/ultrawork.db/deeper"])
def test_a_home_that_cannot_be_made_is_a_sentence(tmp_path, place):
    block = tmp_path / "block"
    block.write_text("a file in the way")
    with pytest.raises(Trouble, match="set ULTRAWORK_HOME"):
        Database(f"{block}{place}/ultrawork.db")


def test_a_database_that_cannot_be_opened_is_a_sentence(tmp_path):
    (tmp_path / "ultrawork.db").mkdir()
    with pytest.raises(Trouble, match=r"cannot be opened or written\. Set ULTRAWORK_HOME"):
        Database(f"{tmp_path}/ultrawork.db")


def test_programs_that_start_at_once_make_one_database(path):
    """None of them may fail because another one is just making it."""
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from ultrawork.store.database import Database\n"
        "Database(sys.argv[2])"
    )
    words = [sys.executable, "-I", "-S", "-c", script, f"{PLUGIN}/src", path]
    started = [subprocess.Popen(words, stderr=subprocess.PIPE) for _ in range(12)]
    failures = [process.communicate(timeout=60)[1] for process in started]
    assert [process.returncode for process in started] == [0] * 12, failures


def test_every_sentence_fits_the_screen():
    for sentence in module._SENTENCES.values():
        assert len(sentence.format(folder="~/.claude/ultrawork", file="ultrawork.db")) <= 100


def test_the_log_of_programs_that_never_closed_stays_short(tmp_path):
    """Each of them would leave it behind whole, and whoever opens next would have to read it."""
    path = f"{tmp_path}/ultrawork.db"
    database = Database(path)
    database.rows("CREATE TABLE notes (text)")
    for _ in range(1500):
        database.rows("INSERT INTO notes VALUES (?)", "x" * 3000)
    assert os.path.getsize(f"{path}-wal") < 2_000_000
    database.close()


@pytest.mark.slow
def test_many_that_begin_at_once_all_get_their_database(tmp_path):
    opening = "import sys; sys.path.insert(0, sys.argv[2]); from ultrawork.store.database import Database; Database(sys.argv[1])"
    for number in range(8):
        words = [sys.executable, "-I", "-S", "-c", opening, f"{tmp_path}/{number}/new.db"]
        begun = [subprocess.Popen([*words, f"{PLUGIN}/src"]) for _ in range(6)]
        assert [one.wait(60) for one in begun] == [0] * 6
