#!/usr/bin/env python3
"""Edit a copy of a container as a second developer would, beside what a test run did to another copy.

usage: edit_container.py CONTAINER OUT

OUT is CONTAINER with other rows, keys, lines and files changed than those that the corpora's own second states have, so that the
three merge cleanly: every thousandth row of each store from the third on gets another title, a key is added to each defaults
file, a JSON document gets a member, a file is added and one more is renamed. The same input gives the same output.
"""
import json
import os
import plistlib
import shutil
import sqlite3
import sys


def edit_store(path):
    """Titles of rows, in one transaction; nothing is left in a log."""
    with open(path, "rb") as file:
        if not file.read(16).startswith(b"SQLite format 3"):
            return
    base = sqlite3.connect(path)
    tables = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'ZITEM'")]
    for table in tables:
        base.execute(f"UPDATE {table} SET ZTITLE = 'edited by hand ' || Z_PK WHERE Z_PK % 1000 = 3")
    base.commit()
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    for suffix in "-wal", "-shm":
        if os.path.exists(path + suffix):
            os.unlink(path + suffix)


def edit_defaults(path):
    with open(path, "rb") as file:
        data = file.read()
    value = plistlib.loads(data)
    value["editedByHand"] = {"name": "second developer", "count": 3}
    kind = plistlib.FMT_BINARY if data.startswith(b"bplist") else plistlib.FMT_XML
    with open(path, "wb") as file:
        plistlib.dump(value, file, fmt=kind, sort_keys=False)


def edit_json(path):
    with open(path, encoding="utf-8") as file:
        value = json.load(file)
    value["editedByHand"] = True
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, ensure_ascii=False)


def main():
    source, out = sys.argv[1:]
    shutil.copytree(source, out, symlinks=True)
    documents, pictures = [], []
    for folder, directories, files in os.walk(out):
        directories.sort()
        for name in sorted(files):
            path = os.path.join(folder, name)
            if name.endswith(".sqlite"):
                edit_store(path)
            elif os.path.basename(folder) == "Preferences" and name.endswith(".plist"):
                edit_defaults(path)
            elif name.endswith(".json"):
                documents.append(path)
            elif name.endswith(".gif") and "Documents" in folder:
                pictures.append(path)
    # The first ones are those that a test run changes.
    if len(documents) > 1:
        edit_json(documents[-1])
    if len(pictures) > 9:
        os.rename(pictures[-1], os.path.join(os.path.dirname(pictures[-1]), "by hand.gif"))
        with open(os.path.join(os.path.dirname(pictures[-1]), "notes by hand.txt"), "w", encoding="utf-8") as file:
            file.write("Kept by the second developer.\n")


main()
