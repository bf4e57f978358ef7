#!/usr/bin/env python3
"""Compare what capsule reads in databases, property lists, JSON and texts with what Python reads.

usage: check_against_python.py tables CAPSULE DIR SEED COUNT  rows of generated databases, from 'show --csv' and 'cat'
       check_against_python.py grep CAPSULE DIR SEED COUNT    places of texts in generated containers, from 'grep -c' and 'grep -l'

Prints how much was compared, after a line for each difference. The status is 1 if there is any. DIR keeps what differs.
"""
import base64
import csv
import datetime
import io
import json
import os
import plistlib
import random
import shutil
import sqlite3
import subprocess
import sys

TABLES = ["items", "two words", 'quo"ted', "it's", "größe", "日本", "a:b", "a/b", "[in]", "x[1]", "select", "1st", "😀", "%", "-v", "a.b", "Z_X", "e\u0301"]
COLUMNS = ["id", "name", "two words", 'quo"ted', "a,b", "größe", "data", "group", "x'y", "😀", "[b]", "line\nbreak", "Name2", "rowid", "é", "e\u0301", "\"\u0301"]
TYPES = ["", "INTEGER", "TEXT", "BLOB", "REAL", "NUMERIC", "VARCHAR(20)", "BOOLEAN", "TIMESTAMP"]
TEXTS = ["", "a", "a,b", 'say "hi"', "line\nbreak", "cr\r\nlf", "\r", " blank ", "é", "e\u0301", '"\u0301', ",\u0308x", "\n\u0308", "日本語", "👩‍👩‍👧",
         "\u200fx", "'", "\ttab", "007", "1e5", "NULL", "\ufeffmark", "\u2028", "null\0byte", "a" * 5000, "ü" * 20000, "{\"a\": [1]}", "x\x01y", "\\"]
NUMBERS = [0, 1, -1, 42, 2**31, 2**63 - 1, -2**63, 0.0, -0.0, 1.5, -2.25, 0.1, 1e300, 5e-324, 1e15, 123456789.125, 1e16, float("inf"),
           float("-inf"), 1 / 3]
BLOBS = [b"", b"\0", b"text", bytes(range(256)), b"\xff" * 9000, plistlib.dumps({"a": [1, "x"]}, fmt=plistlib.FMT_BINARY),
         plistlib.dumps({"a": 1}), b'{"a": 1}']


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def value(random):
    return random.choice([None, random.choice(TEXTS), random.choice(TEXTS), random.choice(NUMBERS), random.choice(NUMBERS),
                          random.randrange(-1000, 1000), random.choice(BLOBS)])


def make_table(random, database, name):
    """Makes a table with rows, and returns the columns of its key."""
    columns = random.sample(COLUMNS, random.randrange(1, 7))
    parts = [f"{quoted(column)} {random.choice(TYPES)}" for column in columns]
    kind = random.choice(["rowid", "integer", "text", "composite", "without", "without composite"])
    key = {"rowid": [], "integer": columns[:1], "text": columns[:1], "without": columns[:1]}.get(kind, columns[:2])
    if kind == "integer":
        parts[0] = f"{quoted(columns[0])} INTEGER PRIMARY KEY"
    elif key:
        parts.append(f"PRIMARY KEY ({', '.join(map(quoted, key))})")
    made = 0
    if random.random() < 0.2:
        made = 1
        parts.insert(len(columns), f"made AS (coalesce({quoted(columns[-1])}, 'none')) {random.choice(['STORED', 'VIRTUAL'])}")
    database.execute(f"CREATE TABLE {quoted(name)} ({', '.join(parts)}){' WITHOUT ROWID' if 'without' in kind else ''}")
    for _ in range(random.choice([0, 1, 3, 20, 60])):
        row = [value(random) for _ in columns]
        if kind == "integer":
            row[0] = random.choice([None, random.randrange(-50, 2000)])
        elif "without" in kind:
            row[:len(key)] = [random.randrange(1000) if part is None else part for part in row[:len(key)]]
        names = ", ".join(map(quoted, columns))
        try:
            database.execute(f"INSERT OR IGNORE INTO {quoted(name)} ({names}) VALUES ({', '.join('?' * len(columns))})", row)
        except sqlite3.IntegrityError:
            # An INTEGER that is the key takes only integers.
            continue
    if random.random() < 0.3:
        # SQLite's own random() has no seed.
        database.create_function("draw", 0, lambda: random.randrange(3))
        database.execute(f"DELETE FROM {quoted(name)} WHERE draw() = 0")
    if random.random() < 0.2 and not made:
        database.execute(f"ALTER TABLE {quoted(name)} ADD COLUMN added DEFAULT 'later'")
    if random.random() < 0.3:
        database.execute(f"CREATE INDEX {quoted('by ' + name)} ON {quoted(name)} ({quoted(columns[-1])})")
    return key


def make_database(random, path):
    database = sqlite3.connect(path)
    database.execute(f"PRAGMA page_size = {random.choice([512, 1024, 4096, 65536])}")
    database.execute(f"PRAGMA encoding = '{random.choice(['UTF-8', 'UTF-8', 'UTF-16le', 'UTF-16be'])}'")
    database.execute(f"PRAGMA auto_vacuum = {random.randrange(3)}")
    if random.random() < 0.3:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA wal_autocheckpoint = 0")
    names = random.sample(TABLES, random.randrange(1, 5))
    keys = {name: make_table(random, database, name) for name in names}
    database.execute(f"CREATE VIEW \"a view\" AS SELECT * FROM {quoted(names[0])}")
    database.commit()
    # Without the last connection, the log would be folded.
    return database, keys


def is_equal(field, value):
    if value is None:
        return field == ""
    if isinstance(value, bytes):
        return field == base64.b64encode(value).decode()
    if isinstance(value, float):
        try:
            return float(field) == value
        except ValueError:
            return False
    return field == str(value)


def capsule_run(capsule, *words):
    return subprocess.run([capsule, *words], capture_output=True, timeout=60)


def table_difference(output, database, name):
    # A virtual column has no stored values.
    columns = [part[1] for part in database.execute(f"PRAGMA table_xinfo({quoted(name)})") if part[6] != 2]
    wanted = database.execute(f"SELECT {', '.join(map(quoted, columns))} FROM {quoted(name)}").fetchall()
    found = list(csv.reader(io.StringIO(output.decode(), newline=""), strict=True))
    if not found or found[0] != columns:
        return f"the columns are {found[:1]}, not {columns}"
    if len(found) - 1 != len(wanted):
        return f"{len(found) - 1} rows, not {len(wanted)}"
    left = {}
    for row in wanted:
        left.setdefault(len(left), row)
    for row in found[1:]:
        match = next((number for number, other in left.items()
                      if len(row) == len(other) and all(map(is_equal, row, other))), None)
        if match is None:
            return f"no row is {row!r:.200}; the first left is {next(iter(left.values()))!r:.200}"
        del left[match]
    return None


def check_tables(capsule, top, random, problems):
    path = os.path.join(top, "Documents", "a.db")
    os.makedirs(os.path.dirname(path))
    database, keys = make_database(random, path)
    rows = 0
    for name in keys:
        commands = [["show", path + ":" + name, "--csv", "--show-secrets"], ["show", top, "Documents/a.db:" + name, "--csv", "--show-secrets"],
                    ["cat", top, "Documents/a.db:" + name]]
        outputs = [capsule_run(capsule, *command) for command in random.sample(commands, 2)]
        for done in outputs:
            difference = done.stderr.decode() if done.returncode else table_difference(done.stdout, database, name)
            if difference:
                problems.append(f"{top}: {' '.join(done.args[1:])}: {difference}")
        rows += database.execute(f"SELECT count(*) FROM {quoted(name)}").fetchone()[0]
    if capsule_run(capsule, "show", top, "a.db:a view", "--csv").returncode != 2:
        problems.append(f"{top}: a view is no table")
    database.close()
    return f"{len(keys)} tables {rows} rows"


WORDS = ["otter", "Otter", "cat", "naïve", "日本", "größe", "42", "two words", 'q"q', "a\\b", "x/y", "~t", "true", "1.5", "line\nbreak", "1", "é",
         "e\u0301", "", "zz", "007", "NULL", "4242", "tab\there"]
TARGETS = ["otter", "cat", "naïve", "日本", "42", "o w", "e", "1", '"', "\\", "/y", "~", "true", "break", "é", "007", "nothing here", "é ", "2024", "t"]


def words(random):
    return " ".join(random.choice(WORDS) for _ in range(random.randrange(1, 4)))


def tree(random, depth, is_json):
    kind = random.randrange(9 if depth else 7)
    if kind in (7, 8):
        if random.random() < 0.5:
            return [tree(random, depth - 1, is_json) for _ in range(random.randrange(5))]
        return {words(random): tree(random, depth - 1, is_json) for _ in range(random.randrange(5))}
    if kind < 3:
        return words(random)
    if kind == 3:
        return random.choice([0, 1, 42, -7, 4242, 10**12])
    if kind == 4:
        return random.choice([True, False, 1.5, 0.25, -2.75])
    if is_json:
        return None
    if kind == 5:
        return datetime.datetime(2024, 5, random.randrange(1, 28), 9, 30)
    return random.choice([words(random).encode() + b"\xff", plistlib.dumps({words(random): words(random)}, fmt=plistlib.FMT_BINARY), b""])


def spelled(value):
    """The text of a leaf that is neither a string nor data."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    return str(value)


def has(value, text, fold):
    """True if a leaf has the text, also in a property list in data."""
    if isinstance(value, bytes):
        inner = nested(value)
        return places(inner, text, fold) > 0 if inner is not None else text.encode() in (fold_bytes(value) if fold is str.lower else value)
    return text in fold(value if isinstance(value, str) else spelled(value))


def fold_bytes(data):
    return data.lower()


def nested(data):
    try:
        return plistlib.loads(data) if data.startswith(b"bplist00") else None
    except Exception:
        return None


def places(value, text, fold, key=None):
    """The number of values that have the text, or whose own key has it."""
    own = key is not None and text in fold(key)
    if isinstance(value, bytes) and nested(value) is not None:
        return own + places(nested(value), text, fold)
    if isinstance(value, dict):
        return own + sum(places(part, text, fold, name) for name, part in value.items())
    if isinstance(value, list):
        return own + sum(places(part, text, fold) for part in value)
    return int(own or has(value, text, fold))


def row_places(path, text, fold):
    database = sqlite3.connect(path)
    count = sum(text in fold(sql) for sql, in database.execute("SELECT sql FROM sqlite_schema WHERE sql NOT NULL"))
    for name, in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        for row in database.execute(f"SELECT * FROM {quoted(name)}"):
            count += any(value is not None and has(value, text, fold) for value in row)
    database.close()
    return count


def make_container(random, top):
    """Makes files and returns what each of them holds, by its path."""
    made = {}
    for number in range(random.randrange(1, 9)):
        directory = random.choice(["Documents", "Library", "Documents/otter", "Library/größe", "Documents/a b"])
        os.makedirs(os.path.join(top, directory), exist_ok=True)
        kind = random.choice(["xml", "binary", "json", "text", "db"])
        path = f"{directory}/{random.choice(['cat', 'list', 'otters', 'naïve', 'f'])}{number}.{'plist' if kind in ('xml', 'binary') else kind}"
        full = os.path.join(top, path)
        if kind in ("xml", "binary"):
            content = {words(random): tree(random, 4, False) for _ in range(random.randrange(1, 6))}
            plistlib.dump(content, open(full, "wb"), fmt=plistlib.FMT_XML if kind == "xml" else plistlib.FMT_BINARY)
        elif kind == "json":
            content = random.choice([{}, []])
            for _ in range(random.randrange(1, 6)):
                part = tree(random, 4, True)
                content.append(part) if isinstance(content, list) else content.update({words(random): part})
            json.dump(content, open(full, "w", encoding="utf-8"), ensure_ascii=random.random() < 0.5)
        elif kind == "text":
            content = [words(random).replace("\n", " ") for _ in range(random.randrange(1, 30))]
            text = random.choice(["\n", "\r\n"]).join(content) + random.choice(["", "\n"])
            open(full, "w", encoding=random.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"]), newline="").write(text)
        else:
            content = None
            make_rows(random, full)
        made[path] = (kind, content)
    return made


def make_rows(random, path):
    database = sqlite3.connect(path)
    for name in random.sample(["pets", "cats", "two words", "größe", "otter"], random.randrange(1, 4)):
        key = random.choice(["id INTEGER PRIMARY KEY", "id TEXT PRIMARY KEY", "id"])
        database.execute(f"CREATE TABLE {quoted(name)} ({key}, title, \"data x\" BLOB)")
        for number in range(random.randrange(12)):
            parts = [words(random), random.choice([None, 42, 1.5, -7, words(random)]),
                     random.choice([None, words(random).encode() + b"\xff", plistlib.dumps({words(random): words(random)}, fmt=plistlib.FMT_BINARY)])]
            number = number if "INTEGER" in key else f"{words(random)} {number}"
            database.execute(f"INSERT INTO {quoted(name)} VALUES (?, ?, ?)", [number, random.choice(parts), random.choice(parts)])
    if random.random() < 0.3:
        database.execute("CREATE VIEW cats_view AS SELECT 42")
    database.commit()
    database.close()


def expected(top, made, text, fold):
    counts = {}
    for directory, directories, files in os.walk(top):
        for name in directories + files:
            path = os.path.relpath(os.path.join(directory, name), top)
            count = int(text in fold(name))
            kind, content = made.get(path, (None, None))
            if kind == "db":
                count += row_places(os.path.join(top, path), text, fold)
            elif kind == "text":
                count += sum(text in fold(line) for line in content)
            elif kind:
                count += places(content, text, fold)
            if count:
                counts[path] = count
    return counts


def check_grep(capsule, top, random, problems):
    os.makedirs(top)
    made = make_container(random, top)
    container = top
    if random.random() < 0.3:
        container = top + ".capsule"
        subprocess.run([capsule, "pack", "-q", top, "-o", container], check=True)
    targets = random.sample(TARGETS, 4)
    for target in targets:
        ignores = random.random() < 0.3
        fold = str.lower if ignores else str
        wanted = expected(top, made, fold(target), fold)
        flags = ["-i"] if ignores else []
        done = capsule_run(capsule, "grep", *flags, "-c", target, container)
        found = {}
        for line in done.stdout.decode().splitlines():
            path, _, count = line.rpartition(": ")
            found[path] = int(count)
        names = capsule_run(capsule, "grep", *flags, "-l", target, container)
        differences = [f"{path} {found.get(path, 0)}, not {wanted.get(path, 0)}" for path in sorted({*found, *wanted})
                       if found.get(path) != wanted.get(path)]
        if sorted(names.stdout.decode().splitlines()) != sorted(found):
            differences.append("-l lists other files than -c")
        if done.returncode != (0 if wanted else 1):
            differences.append(f"status {done.returncode} {done.stderr.decode()}")
        problems += [f"{container}: {' '.join(done.args[1:])}: {difference}" for difference in differences]
    return f"{len(made)} files {len(targets)} texts"


def main():
    what, capsule, top, seed, count = sys.argv[1:]
    sums, problems = {}, []
    for number in range(int(seed), int(seed) + int(count)):
        place = os.path.join(top, f"{what}{number}")
        check = check_tables if what == "tables" else check_grep
        start = len(problems)
        words = check(os.path.abspath(capsule), place, random.Random(number), problems).split()
        for amount, word in zip(words[::2], words[1::2]):
            sums[word] = sums.get(word, 0) + int(amount)
        if len(problems) == start:
            shutil.rmtree(place)
    for problem in problems:
        print(problem)
    print(f"{count} {'databases' if what == 'tables' else 'containers'}, {', '.join(f'{amount} {word}' for word, amount in sums.items())}: "
          f"{len(problems)} differences")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
