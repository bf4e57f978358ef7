#!/usr/bin/env python3
"""Run a command and see whether it so much as opens anything in a directory (inotify(7), Linux).

usage: audit.py DIR [--may-look] -- COMMAND...

Ends with COMMAND's status; or with 99, after a line for each thing that was done in DIR: files and directories opened, read,
written, made, deleted, renamed, or given other modes, times or attributes. With --may-look opening and listing directories is
no matter. Where there is no inotify it only runs COMMAND. As a module: Audit(DIR).events() is what happened since last time.
Only the standard library is used.
"""
import ctypes
import os
import struct
import subprocess
import sys

NAMES = {0x1: "read", 0x2: "written", 0x4: "given other attributes", 0x20: "opened", 0x40: "moved away", 0x80: "moved here",
         0x100: "made", 0x200: "deleted", 0x400: "deleted", 0x800: "moved"}
DIRECTORY, LOOKS = 0x40000000, 0x21


class Audit:
    def __init__(self, top):
        self.watches, self.descriptor = {}, None
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            self.descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        except (AttributeError, OSError):
            return
        for folder, _, _ in os.walk(top):
            watch = libc.inotify_add_watch(self.descriptor, os.fsencode(folder), sum(NAMES) & ~0x400)
            if watch < 0:
                raise OSError(ctypes.get_errno(), f"inotify_add_watch {folder}")
            self.watches[watch] = folder
        self.events()

    def events(self, may_look=False):
        """What happened, as lines."""
        lines = []
        while self.descriptor is not None:
            try:
                data = os.read(self.descriptor, 1 << 16)
            except BlockingIOError:
                break
            at = 0
            while at < len(data):
                watch, mask, _, length = struct.unpack_from("iIII", data, at)
                name = os.fsdecode(data[at + 16:at + 16 + length].rstrip(b"\0"))
                at += 16 + length
                if may_look and mask & DIRECTORY and not mask & ~(DIRECTORY | LOOKS):
                    continue
                what = " and ".join(word for bit, word in NAMES.items() if mask & bit) or f"{mask:x}"
                lines.append(f"{os.path.join(self.watches.get(watch, '?'), name)} was {what}")
        return lines


def main():
    split = sys.argv.index("--")
    audit = Audit(sys.argv[1])
    status = subprocess.run(sys.argv[split + 1:]).returncode
    events = audit.events("--may-look" in sys.argv[:split])
    for line in events:
        print(line)
    sys.exit(99 if events else status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
