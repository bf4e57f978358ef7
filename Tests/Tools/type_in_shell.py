#!/usr/bin/env python3
"""Type into a real shell, and print what stands on its command line after each text and its keys.

usage: type_in_shell.py [--shell bash|zsh|fish] SCRIPT [--keys KEYS] TEXT...
           SCRIPT is sourced first; KEYS (a tab) follow each TEXT, with \\t and \\e for tab and escape

Nothing is ever run but the script: the line is printed, then taken away. Ends with 77 where no terminal can be had. Only the
standard library is used.
"""
import argparse, fcntl, os, pty, re, select, struct, sys, termios, time

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("script")
parser.add_argument("--shell", default="bash")
parser.add_argument("--keys", default="\\t")
parser.add_argument("texts", nargs="+")
wanted = parser.parse_args()
keys = wanted.keys.replace("\\t", "\t").replace("\\e", "\033").encode()
# How each is called, a command that binds ^T to what shows the line, and keys that take it away.
COMMAND, BINDING, CLEARING = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "bind -x '\"\\C-t\": printf \"<<%s>>\\n\" \"$READLINE_LINE\"'; bind 'set bell-style none'; "
             "bind 'set completion-query-items 0'; bind 'set page-completions off'", b"\x01\x0b"),
    "zsh": (["zsh", "-f", "-i"],
            "autoload -U compinit; compinit -D -u; show() { print -r -- \"<<$BUFFER>>\" }; zle -N show; bindkey -e; "
            "bindkey '^T' show; unset zle_bracketed_paste; LISTMAX=1000", b"\x01\x0b"),
    "fish": (["fish", "--no-config", "-i"],
             "function fish_prompt; end; function show; echo '<<'(commandline)'>>'; end; bind \\ct show", b"\x15"),
}[wanted.shell]
try:
    process, terminal = pty.fork()
except OSError as error:
    print(f"no terminal can be had here: {error}")
    sys.exit(77)
if process == 0:
    os.environ.update(TERM="dumb" if wanted.shell == "bash" else "xterm", PS1="", INPUTRC="/dev/null", HISTFILE="")
    if wanted.shell == "fish":
        # It makes a directory for its sockets, and leaves it there.
        os.makedirs("fish.files", mode=0o700, exist_ok=True)
        os.environ["XDG_RUNTIME_DIR"] = os.path.abspath("fish.files")
    os.execvp(COMMAND[0], COMMAND)
# No line that is typed here is wrapped.
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 2000, 0, 0))


def read_until(pattern):
    """What comes, up to the pattern."""
    seen, deadline = b"", time.monotonic() + 60
    while True:
        found = re.search(pattern, seen, re.DOTALL)
        if found:
            return found
        if not select.select([terminal], [], [], max(0, deadline - time.monotonic()))[0]:
            sys.exit(f"{wanted.shell} does not answer: {seen!r}")
        seen += os.read(terminal, 65536)


def type_in(data):
    os.write(terminal, data)


time.sleep(0.3 if wanted.shell == "fish" else 0)
type_in(f"{BINDING}; . {wanted.script}; echo rea''dy\n".encode())
read_until(rb"ready\r?\n")
for text in wanted.texts:
    type_in(text.encode() + keys)
    # Shells that list what fits take what is typed meanwhile for something else.
    time.sleep(0.15 if wanted.shell != "bash" else 0)
    type_in(b"\x14")
    print(read_until(rb"<<([^\n]*)>>\r?\n").group(1).decode())
    type_in(CLEARING)
type_in(b"exit\n")
sys.stdout.flush()
