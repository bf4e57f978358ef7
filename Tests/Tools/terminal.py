#!/usr/bin/env python3
"""Run a command on a terminal of its own, and print what came there.

usage: terminal.py [--lines N] [--keys TEXT] COMMAND...      the terminal has N lines (24) of 80 columns; TEXT is typed in once
                                                              something came

Ends with the command's status, with 124 after 30 seconds, or with 77 where no terminal can be had. Only the standard library is used.
"""
import argparse, fcntl, os, pty, select, signal, struct, sys, termios, time

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("--lines", type=int, default=24)
parser.add_argument("--keys", default="")
parser.add_argument("command", nargs=argparse.REMAINDER)
wanted = parser.parse_args()
try:
    process, terminal = pty.fork()
except OSError as error:
    print(f"no terminal can be had here: {error}")
    sys.exit(77)
if process == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", wanted.lines, 80, 0, 0))
    os.environ["TERM"] = "dumb"
    os.execvp(wanted.command[0], wanted.command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", wanted.lines, 80, 0, 0))
deadline, keys = time.monotonic() + 60, wanted.keys.encode()
while True:
    if not select.select([terminal], [], [], max(0, deadline - time.monotonic()))[0]:
        os.kill(process, signal.SIGKILL)
        sys.exit(124)
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data.replace(b"\r\n", b"\n"))
    if keys:
        os.write(terminal, keys)
        keys = b""
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
