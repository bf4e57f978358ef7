#!/usr/bin/env python3
"""Find out by other means what differs between two containers, and hold a report of capsule against it.

usage: check_diff.py A.xcappdata B.xcappdata < REPORT      REPORT: capsule diff A B --json --all

Entries are compared byte by byte, property lists and JSON by Python's readers down to their leaves, databases by Python's
sqlite3 in copies with their logs. Every difference must be in the report, with its values, and nothing else; what is noise in
an app's data must be so classed. Prints what does not agree; exit 0 if all does. Only the standard library is used.
"""
import base64, datetime, hashlib, json, os, plistlib, shutil, sqlite3, stat, sys, tempfile

EPOCH = datetime.datetime(2001, 1, 1)


def tree(bundle):
    """What is below AppData, by path."""
    root, found = os.path.join(bundle, "AppData"), {}
    for folder, directories, files in os.walk(root):
        for name in directories + files:
            full = os.path.join(folder, name)
            path = os.path.relpath(full, root)
            if path == ".com.apple.mobile_container_manager.metadata.plist":
                continue
            status = os.lstat(full)
            kind = "link" if stat.S_ISLNK(status.st_mode) else "directory" if stat.S_ISDIR(status.st_mode) else "file"
            content = os.readlink(full) if kind == "link" else None
            if kind == "file":
                with open(full, "rb") as file:
                    content = hashlib.sha256(file.read()).hexdigest()
            found[path] = (kind, None if kind == "link" else stat.S_IMODE(status.st_mode), content, full)
    return found


def units(entries):
    """The main file of each file of a database."""
    mains = {}
    for path, (kind, _, _, full) in entries.items():
        if kind == "file":
            with open(full, "rb") as file:
                if file.read(16) == b"SQLite format 3\0":
                    for suffix in ("", "-wal", "-shm", "-journal"):
                        mains[path + suffix] = path
    return mains


def plain(value):
    """A value of the report."""
    if isinstance(value, dict):
        if "$date" in value:
            return ("date", value["$date"])
        if "$data" in value:
            return ("data", base64.b64decode(value["$data"]), value.get("bytes"), value.get("cut", False))
        if "$real" in value:
            return ("real", float(value["$real"]))
        if "$int" in value:
            return int(value["$int"])
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def python(value):
    """A value of Python's, spelled as `plain` does."""
    if isinstance(value, datetime.datetime):
        return ("date", value.strftime("%Y-%m-%dT%H:%M:%SZ"))
    if isinstance(value, bytes):
        return ("data", value[:1024], len(value), len(value) > 1024)
    if isinstance(value, float):
        return ("real", value)
    if isinstance(value, dict):
        return {key: python(item) for key, item in value.items()}
    return [python(item) for item in value] if isinstance(value, list) else value


def same(one, other):
    return type(one) is type(other) and one == other


def leaves(old, new, pointer, found):
    """The pointers at which two values differ: dictionaries by key, arrays that grew or shrank at the end by index."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old.keys() | new.keys():
            place = pointer + "/" + key.replace("~", "~0").replace("/", "~1")
            if key not in new:
                found[place] = ("deleted", python(old[key]), None)
            elif key not in old:
                found[place] = ("added", None, python(new[key]))
            else:
                leaves(old[key], new[key], place, found)
    elif isinstance(old, list) and isinstance(new, list) and old[:min(len(old), len(new))] == new[:min(len(old), len(new))]:
        for place in range(len(new), len(old)):
            found[f"{pointer}/{place}"] = ("deleted", python(old[place]), None)
        for place in range(len(old), len(new)):
            found[f"{pointer}/{place}"] = ("added", None, python(new[place]))
    elif not same(old, new):
        found[pointer] = ("modified", python(old), python(new))


def rows(path, scratch):
    """All rows of a database, by table and row ID, read in a copy."""
    copy = os.path.join(scratch, "copy.sqlite")
    for suffix in ("", "-wal", "-shm", "-journal"):
        if os.path.exists(copy + suffix):
            os.remove(copy + suffix)
        if suffix != "-shm" and os.path.exists(path + suffix):
            shutil.copyfile(path + suffix, copy + suffix)
    db = sqlite3.connect(copy)
    found = {}
    for (table,) in db.execute("select name from sqlite_master where type = 'table'").fetchall():
        cursor = db.execute(f'select rowid, * from "{table}"')
        names = [column[0] for column in cursor.description][1:]
        stamps = {row[1] for row in db.execute(f'pragma table_info("{table}")') if row[2].upper() == "TIMESTAMP"}
        for row in cursor:
            values = {}
            for name, value in zip(names, row[1:]):
                if name in stamps and value is not None:
                    value = ("date", float(value))
                values[name] = python(value)
            found[table, row[0]] = values
    db.close()
    return found


def instant(text):
    text = text.rstrip("Z")
    whole, _, part = text.partition(".")
    return (datetime.datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S") - EPOCH).total_seconds() + (float("0." + part) if part else 0)


def close(expected, told):
    """Whether a told value is the expected one; a date may be rounded to what its text holds."""
    if isinstance(expected, tuple) and expected[0] == "date" and isinstance(expected[1], float):
        return isinstance(told, tuple) and told[0] == "date" and abs(instant(told[1]) - expected[1]) < 1e-4
    if isinstance(expected, tuple) and expected[0] == "data":
        return isinstance(told, tuple) and told[0] == "data" and told[1] == expected[1]
    return same(expected, told)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    problems = []
    lines = [json.loads(line) for line in sys.stdin]
    if lines[0].get("schema") != "capsule.diff" or lines[-1]["kind"] != "end" or not lines[-1]["complete"]:
        problems.append("the report has no header, or no end, or is not complete")
    told, details = {}, {}
    for line in lines[1:-1]:
        if line["kind"] in ("added", "deleted", "modified", "renamed", "type"):
            told[line["path"]] = line
        elif line["kind"] != "noise":
            details.setdefault(line["path"], []).append(line)

    old, new = tree(sys.argv[1]), tree(sys.argv[2])
    old_units, new_units = units(old), units(new)
    expected, changed = {}, set()
    gone = {path for path in old.keys() - new.keys() if path not in old_units or old_units[path] == path}
    come = {path for path in new.keys() - old.keys() if path not in new_units or new_units[path] == path}
    for path in sorted(come):
        source = [one for one in sorted(gone) if new[path][0] == "file" and old[one][2] == new[path][2] and os.path.getsize(new[path][3])]
        if source:
            expected[path] = ("renamed", source[0])
            gone.discard(source[0])
        else:
            expected[path] = ("added", None)
    for path in gone:
        expected[path] = ("deleted", None)
    for path in old.keys() | new.keys():
        main_file = new_units.get(path) or old_units.get(path)
        if main_file and main_file in old and main_file in new:
            if old.get(path, (None,) * 3)[:3] != new.get(path, (None,) * 3)[:3]:
                expected[main_file] = ("modified", None)
                changed.add(main_file)
        elif path in old and path in new and old[path][:3] != new[path][:3]:
            expected[path] = ("modified" if old[path][0] == new[path][0] else "type", None)

    for path in expected.keys() - told.keys():
        problems.append(f"not told: {expected[path][0]} {path}")
    for path in told.keys() - expected.keys():
        problems.append(f"told, but the same: {path}")
    for path in expected.keys() & told.keys():
        kind, source = expected[path]
        if told[path]["kind"] != kind or told[path].get("from") != source:
            problems.append(f"{path}: {told[path]['kind']} in place of {kind}")
        if kind != "modified":
            continue
        lines_of = details.get(path, [])
        modes = [(line["old"], line["new"]) for line in lines_of if line["kind"] == "metadata" and line["field"] == "mode" and "file" not in line]
        wanted = [(f"{old[path][1]:04o}", f"{new[path][1]:04o}")] if old[path][1] != new[path][1] else []
        if modes != wanted:
            problems.append(f"{path}: modes {modes} in place of {wanted}")
        if path in changed or path in new_units:
            check_rows(path, old[path][3], new[path][3], lines_of, problems)
        elif old[path][2] != new[path][2]:
            check_content(path, old[path][3], new[path][3], lines_of, problems)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


def check_content(path, old, new, lines, problems):
    with open(old, "rb") as one, open(new, "rb") as other:
        before, after = one.read(), other.read()
    found = {}
    try:
        leaves(plistlib.loads(before), plistlib.loads(after), "", found)
    except Exception:
        try:
            leaves(json.loads(before), json.loads(after), "", found)
        except ValueError:
            first = next((at for at, (x, y) in enumerate(zip(before, after)) if x != y), None)
            told = [line for line in lines if line["kind"] in ("bytes", "text", "image")]
            if len(told) != 1 or told[0]["kind"] == "bytes" and (told[0]["size"] != [len(before), len(after)] or told[0].get("first") != first):
                problems.append(f"{path}: bytes {told} in place of {[len(before), len(after)]}, first {first}")
            return
    told = {line["pointer"]: (line["op"], plain(line.get("old")), plain(line.get("new"))) for line in lines if line["kind"] == "value"}
    for pointer in found.keys() | told.keys():
        one, other = found.get(pointer), told.get(pointer)
        if one is None or other is None or one[0] != other[0] or not all(close(a, b) or (a is None and b is None) for a, b in zip(one[1:], other[1:])):
            problems.append(f"{path} {pointer}: {other} in place of {one}")


def check_rows(path, old, new, lines, problems):
    with tempfile.TemporaryDirectory() as scratch:
        before = rows(old, scratch)
        after = rows(new, scratch)
    told = {}
    for line in lines:
        if line["kind"] == "row":
            (key,) = line["row"].values()
            told[line["table"], key] = line
    for key in before.keys() | after.keys():
        one, other = before.get(key), after.get(key)
        if one == other:
            if key in told:
                problems.append(f"{path} {key}: told, but the same")
            continue
        line = told.get(key)
        op = "added" if one is None else "deleted" if other is None else "modified"
        if line is None or line["op"] != op:
            problems.append(f"{path} {key}: {line and line['op']} in place of {op}")
            continue
        names = {name for name in (one or other) if (one or {}).get(name) != (other or {}).get(name)} - set(line["row"])
        if set(line["columns"]) != names:
            problems.append(f"{path} {key}: columns {sorted(line['columns'])} in place of {sorted(names)}")
        for name in names & set(line["columns"]):
            for side, values in (("old", one), ("new", other)):
                value = values and values[name]
                if (side in line["columns"][name]) != (values is not None) and value is not None:
                    problems.append(f"{path} {key} {name}: no {side}")
                elif value is not None and not close(value, plain(line["columns"][name][side])):
                    problems.append(f"{path} {key} {name}: {side} {line['columns'][name][side]} in place of {value}")
        noise = "core-data" if op == "modified" and names and names <= {"Z_OPT", "Z_MAX"} else None
        if line.get("noise") != noise:
            problems.append(f"{path} {key}: noise {line.get('noise')} in place of {noise}")
    for key in told.keys() - (before.keys() | after.keys()):
        problems.append(f"{path} {key}: told, and there is no such row")


main()
