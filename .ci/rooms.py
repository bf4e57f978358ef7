"""The rooms of a module are the folders directly below it. They form layers: no room may depend on one that depends on it.

A room depends on another if its code names a type that only the other declares, at the top level of a file. Members of extensions
are not followed.
"""
import os
import re

DECLARATION = re.compile(
    r"^(?:@\w+(?:\([^)\n]*\))?\s+)*(?:(?:public|package|internal|final|indirect)\s+)*"
    r"(?:struct|enum|class|actor|protocol|typealias)\s+(\w+)", re.M)
NAME = re.compile(r"\b[A-Z]\w*")
# Files directly in the module.
TOP = "(root)"


def rooms(base, code_only):
    """The files of each room: {room: {file: its code}}."""
    found = {}
    for folder, _, names in os.walk(base):
        room = os.path.relpath(folder, base).split(os.sep)[0]
        for name in sorted(names):
            if name.endswith(".swift"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    found.setdefault(TOP if room == "." else room, {})[name] = code_only(file.read())
    return found


def dependencies(base, code_only):
    """What each room depends on, with one reason for each: {room: {other: "File.swift names Type"}}."""
    files, owners = rooms(base, code_only), {}
    for room, texts in files.items():
        for text in texts.values():
            for name in DECLARATION.findall(text):
                owners.setdefault(name, set()).add(room)
    result = {room: {} for room in sorted(files)}
    for room, texts in files.items():
        for file, text in sorted(texts.items()):
            for name in sorted(set(NAME.findall(text))):
                other = owners.get(name, set())
                if len(other) == 1 and room not in other:
                    result[room].setdefault(next(iter(other)), f"{file} names {name}")
    return result


def layers(edges):
    """The rooms, lowest first, and those that are left because they are above each other."""
    order, left = [], set(edges)
    while True:
        free = sorted(room for room in left if not any(other in left for other in edges[room] if other != room))
        if not free:
            return order, sorted(left)
        order += free
        left -= set(free)


def knots(edges, left):
    """Those of the rooms that are left that depend on themselves by way of others."""
    def reaches(start):
        seen, open_rooms = set(), [start]
        while open_rooms:
            for other in edges[open_rooms.pop()]:
                if other not in seen:
                    seen.add(other)
                    open_rooms.append(other)
        return seen
    return [room for room in left if room in reaches(room)]
