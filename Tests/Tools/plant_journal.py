#!/usr/bin/env python3
"""Plant in `t/.capsule-transaction` what a downloaded container could bring: a transaction's files that no transaction wrote.

usage: plant_journal.py list                 the plans' names
       plant_journal.py PLAN OUTSIDE         OUTSIDE: a directory of somebody else's, absolute

`t` holds a tree with `d/a` and `x`; the staging has the directories `new` and `old`. Journals are written as
ApplyJournal.swift says. Names of plans that begin with roots- or leader- name OUTSIDE as a directory that takes part, so
that it may be looked at; those with good- are what a transaction could have left. Only the standard library is used.
"""
import hashlib
import os
import shutil
import sys

STAGING = "t/.capsule-transaction/"
IDENTIFIER = bytes(range(16))


def number(value):
    out = b""
    while value >= 0x80:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def text(value):
    value = os.fsencode(value)
    return number(len(value)) + value


def place(path, root=0):
    return number(root) + text(path)


def tree(path, root=0):
    return b"\0" + place(path, root)


def new(count, root=0):
    return b"\1" + number(root) + number(count)


def old(count, root=0):
    return b"\2" + number(root) + number(count)


def move(inode, source, target, is_directory=0):
    return b"\1" + number(inode) + bytes([is_directory]) + source + target


def facts(mode=None, attributes=()):
    listed = b"".join(text(name) + text(value) for name, value in attributes)
    return (b"\0" if mode is None else b"\1" + number(mode)) + number(len(attributes)) + listed + number(0)


def settle(path, inode, kind, mode, root=0, attributes=()):
    return b"\2" + place(path, root) + number(inode) + bytes([kind]) + facts(mode) + facts(mode, attributes)


def open_(path, inode, mode, root=0):
    return b"\0" + place(path, root) + number(inode) + number(mode) + number(mode) + number(0) + number(0)


def journal(steps, roots=None, count=None, name="journal", root_count=None):
    roots = roots if roots is not None else [os.path.realpath("t")]
    body = b"CAPSTXN1" + IDENTIFIER + number(len(roots) if root_count is None else root_count) + b"".join(map(text, roots))
    body += number(len(steps) if count is None else count) + b"".join(steps)
    write(name, body + hashlib.sha256(body).digest())


def write(name, data):
    with open(STAGING + name, "wb") as out:
        out.write(data)


def leader(path, identifier=IDENTIFIER):
    write("leader", b"CAPSLDR1" + identifier + os.fsencode(path))


def inode(path):
    return os.lstat(path).st_ino


def link(outside, name):
    shutil.rmtree(STAGING + name, ignore_errors=True)
    os.symlink(outside, STAGING + name)


def plans(outside):
    here = os.path.realpath("t")
    secret = inode(outside + "/secret")

    def climbing(path):
        return lambda: journal([move(secret, tree(path), old(0)), settle(path, secret, 1, 0o666)])

    def through_link():
        shutil.rmtree("t/d")
        os.symlink(outside + "/d", "t/d")
        journal([open_("d", inode(outside + "/d"), 0o777), move(inode(outside + "/d/a"), tree("d/a"), old(0)),
                 settle("d/a", inode(outside + "/d/a"), 1, 0o777)])

    def linked_old():
        link(outside, "old")
        journal([move(secret, old(0), tree("taken"))])

    def linked_new():
        link(outside, "new")
        journal([move(secret, new(0), tree("taken"))])

    def file_link():
        os.symlink(outside + "/secret", STAGING + "new/0")
        journal([move(inode(STAGING + "new/0"), new(0), tree("taken")), settle("taken", inode(STAGING + "new/0"), 1, 0o666)])

    def taken():
        write("new/0", b"mine")
        journal([move(inode(STAGING + "new/0"), new(0), tree("taken"))])

    def sparse(size, name):
        write(name, b"CAPSTXN1")
        os.truncate(STAGING + name, size)

    def special(name, make):
        return lambda: make(STAGING + name)

    return {
        "climbing": climbing("../outside/secret"),
        "climbing-deeper": climbing("d/../../outside/secret"),
        "absolute": climbing(outside + "/secret"),
        "into-staging": climbing(".capsule-transaction/journal"),
        "empty-component": climbing("d//a"),
        "dot": climbing("d/./a"),
        "nul": climbing("d\0a"),
        "top-moves": lambda: journal([move(inode("t"), tree(""), old(0), 1)]),
        "into-another-root": lambda: journal([move(inode("t/x"), tree("x"), old(0, 1))], [here, outside]),
        "no-such-root": lambda: journal([move(inode("t/x"), tree("x", 7), old(0, 7))]),
        "no-roots": lambda: journal([], []),
        "roots-outside": lambda: journal([move(secret, tree("secret", 1), old(0, 1))], [here, outside]),
        "roots-itself": lambda: journal([move(inode("t/x"), tree("x", 1), old(0, 1))], [here, here]),
        "roots-many": lambda: journal([], [here] + [outside] * 255),
        "relative-root": lambda: journal([], ["t"]),
        "too-many-roots": lambda: journal([], [here] * 300),
        "huge-steps": lambda: journal([], count=1 << 62),
        "huge-steps-too": lambda: journal([], count=(1 << 64) - 1),
        "huge-roots": lambda: journal([], root_count=(1 << 63) + 5),
        "huge-text": lambda: journal([b"\1" + number(1) + b"\0\0" + number(0) + number((1 << 64) - 1)]),
        "huge-attributes": lambda: journal([b"\2" + place("x") + number(inode("t/x")) + b"\1\0" + number(1 << 61)]),
        "endless-number": lambda: journal([b"\1" + b"\x80" * 400_000]),
        "no-such-step": lambda: journal([b"\x09"]),
        "huge-old": lambda: journal([move(5, old((1 << 64) - 1), tree("x"))]),
        "sparse-journal": lambda: sparse(1 << 28, "journal"),
        "too-long-journal": lambda: sparse((1 << 28) + 1, "journal"),
        "terabyte-journal": lambda: sparse(1 << 40, "journal"),
        "sparse-done": lambda: sparse(1 << 28, "done"),
        "too-long-leader": lambda: sparse(1 << 40, "leader"),
        "empty-journal": lambda: write("journal", b""),
        "pipe-journal": special("journal", os.mkfifo),
        "pipe-done": special("done", os.mkfifo),
        "pipe-leader": special("leader", os.mkfifo),
        "directory-journal": special("journal", os.mkdir),
        "linked-journal": lambda: link(outside + "/secret", "journal"),
        "linked-leader": lambda: link(outside + "/secret", "leader"),
        "linked-next": lambda: (link(outside + "/secret", "next"), os.mkdir(STAGING + "mine")),
        "linked-old": linked_old,
        "linked-new": linked_new,
        "leader-outside": lambda: leader(outside),
        "leader-elsewhere": lambda: leader(outside, bytes(16)),
        "leader-relative": lambda: leader("outside"),
        "leader-itself": lambda: leader(here),
        "leader-missing": lambda: leader(outside + "/missing"),
        "leader-file": lambda: leader(outside + "/secret"),
        "leader-device": lambda: leader("/dev/zero"),
        "foreign": lambda: write("notes", b"mine"),
        "foreign-old": lambda: write("old/7", b"mine"),
        "foreign-done": lambda: (journal([], name="done"), write("notes", b"mine")),
        "good-link-within": through_link,
        "good-file-link": file_link,
        "good-file": taken,
        "good-programs": lambda: journal([settle("x", inode("t/x"), 1, 0o6777)]),
        "good-done": lambda: journal([], name="done"),
        "good-nothing": lambda: journal([]),
        "good-next": lambda: link(outside, "next"),
    }


def main():
    if sys.argv[1] == "list":
        os.makedirs("plans/secret", exist_ok=True)
        print(*plans(os.path.abspath("plans")))
        shutil.rmtree("plans")
    else:
        plans(sys.argv[2])[sys.argv[1]]()


main()
