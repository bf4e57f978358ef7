#!/usr/bin/env python3
"""Print everything that is to be known of a directory, to see later whether anything touched it.

usage: snapshot.py DIR               names, kinds, modes, inodes, times of content and status to the nanosecond, SHA-256 of contents
       snapshot.py DIR --untimed     the same without inodes and times: what a copy has, too

Times of reading are left out: reading is no change. Only the standard library is used.
"""
import hashlib, os, stat, sys


untimed = sys.argv[2:] == ["--untimed"]


def line(path):
    status = os.lstat(path)
    content = ""
    if stat.S_ISLNK(status.st_mode):
        content = os.readlink(path)
    elif stat.S_ISREG(status.st_mode):
        with open(path, "rb") as file:
            content = hashlib.sha256(file.read()).hexdigest()
    if untimed:
        return f"{path!r} {status.st_mode:o} {content!r}"
    return f"{path!r} {status.st_mode:o} {status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {content!r}"


for folder, directories, files in os.walk(sys.argv[1]):
    directories.sort()
    print(line(folder))
    for name in sorted(files + [one for one in directories if os.path.islink(os.path.join(folder, one))]):
        print(line(os.path.join(folder, name)))
