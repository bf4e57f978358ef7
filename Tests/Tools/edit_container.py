#!/usr/bin/env python3
"""Make a third state of a container: what somebody else did to it meanwhile.

usage: edit_container.py SOURCE OUT [--seed N]

OUT becomes a copy of SOURCE in which a few files are added, deleted, renamed and changed, rows of the SQLite stores are changed,
added and deleted, and keys of property lists changed. Only the standard library is used.
"""
import argparse, os, plistlib, random, shutil, sqlite3


def files(top):
    found = []
    for directory, directories, names in os.walk(top):
        directories.sort()
        for name in sorted(names):
            path = os.path.join(directory, name)
            if os.path.isfile(path) and not os.path.islink(path) and not name.startswith(".com.apple.mobile"):
                found.append(path)
    return found


def head(path, count=16):
    with open(path, "rb") as f:
        return f.read(count)


def edit_plist(rng, path):
    with open(path, "rb") as f:
        data = f.read()
    try:
        value = plistlib.loads(data)
    except Exception:
        return
    if not isinstance(value, dict) or "$archiver" in value:
        return
    keys = sorted(key for key, item in value.items() if isinstance(item, (int, str)) and not isinstance(item, bool))
    for key in rng.sample(keys, min(3, len(keys))):
        value[key] = value[key] + 7 if isinstance(value[key], int) else value[key] + " (edited)"
    value["editedBy"] = "somebody else"
    form = plistlib.FMT_BINARY if data.startswith(b"bplist") else plistlib.FMT_XML
    with open(path, "wb") as f:
        plistlib.dump(value, f, fmt=form, sort_keys=False)


def edit_database(rng, path):
    connection = sqlite3.connect(path)
    try:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%VIRTUAL%'").fetchall()
        for (table,) in tables:
            info = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
            keys = [column[1] for column in info if column[5]]
            texts = [column[1] for column in info if not column[5] and "CHAR" in column[2].upper() or column[2].upper() == "TEXT"]
            if len(keys) != 1 or not texts:
                continue
            rows = [row[0] for row in connection.execute(f'SELECT "{keys[0]}" FROM "{table}" ORDER BY 1')]
            for key in rng.sample(rows, min(20, len(rows))):
                connection.execute(
                    f'UPDATE "{table}" SET "{texts[0]}" = coalesce("{texts[0]}", \'\') || \' (edited)\' WHERE "{keys[0]}" = ?', (key,))
        connection.commit()
    except sqlite3.Error:
        pass
    finally:
        connection.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    shutil.copytree(arguments.source, arguments.out, symlinks=True)
    plists, databases, others = [], [], []
    for path in files(arguments.out):
        start = head(path)
        if start == b"SQLite format 3\0":
            databases.append(path)
        elif start.startswith((b"bplist", b"<?xml")):
            plists.append(path)
        elif not path.endswith(("-wal", "-shm", "-journal")) and "_SUPPORT" not in path:
            others.append(path)
    for path in databases:
        edit_database(rng, path)
    for path in rng.sample(plists, min(20, len(plists))):
        edit_plist(rng, path)
    chosen = rng.sample(others, min(60, len(others)))
    for number, path in enumerate(chosen):
        if number % 3 == 0:
            os.remove(path)
        elif number % 3 == 1:
            os.rename(path, path + ".moved")
        else:
            with open(path, "ab") as f:
                f.write(b"edited by somebody else\n")
    made = os.path.join(arguments.out, "AppData", "Documents", "Somebody Else")
    if not os.path.isdir(os.path.dirname(made)):
        made = os.path.join(arguments.out, "Somebody Else")
    os.makedirs(made)
    for number in range(20):
        with open(os.path.join(made, f"{number}.txt"), "w") as f:
            f.write(f"a new file, number {number}\n" * 50)


if __name__ == "__main__":
    main()
