#!/usr/bin/env python3
"""Run tools that look at trees, many of them in one process, for trees.sh: a start of Python takes longer than most looks.

Standard input has the requests, each of fields that end with a zero byte: the number of arguments, the current directory, the file
that gets what the tool prints, the tool's name in this directory, the arguments. Standard output has a line for each: the status.
It ends with its input.
"""
import contextlib
import os
import sys
import traceback

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sources = {}


def source(name):
    if name not in sources:
        with open(os.path.join(HERE, name), "rb") as file:
            sources[name] = compile(file.read(), name, "exec")
    return sources[name]


def run(tool, arguments):
    """The status that the tool would end with."""
    sys.argv = [tool] + arguments
    try:
        exec(source(tool), {"__name__": "__main__", "__doc__": None})
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def fields():
    rest = b""
    while data := os.read(0, 1 << 16):
        *whole, rest = (rest + data).split(b"\0")
        yield from map(os.fsdecode, whole)


def main():
    asked = fields()
    for count in asked:
        directory, output, tool = next(asked), next(asked), next(asked)
        arguments = [next(asked) for _ in range(int(count))]
        os.chdir(directory)
        with open(output, "w", encoding="utf-8", errors="surrogateescape") as out:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                status = run(tool, arguments)
        os.write(1, b"%d\n" % status)


if __name__ == "__main__":
    main()
