#!/usr/bin/env python3
"""See whether the current directory's file system finds names as APFS does by default.

usage: check_apfs_like.py        the directory has to be empty, and is so again afterwards

Status 0, or 1 and what is otherwise. Only the standard library is used.
"""
import ctypes
import errno
import fcntl
import mmap
import os
import shutil
import sys

EXCLUSIVE, EXCHANGE = 1, 2
libc = ctypes.CDLL(None, use_errno=True)
problems = []
# Two names each that are one; the second one is not the first one's simple lower case in all of them.
PAIRS = [
    (b"A", b"a"), (b"Readme.TXT", b"rEADME.txt"), ("é".encode(), b"e\xcc\x81"), ("É".encode(), b"e\xcc\x81"), ("ß".encode(), b"SS"),
    ("ſ".encode(), b"s"), ("\u212a".encode(), b"k"), ("Σ".encode(), "ς".encode()), ("ﬁ".encode(), b"FI"), ("Å".encode(), "\u212b".encode()),
    ("\ud55c".encode(), "\u1112\u1161\u11ab".encode()), ("ǰ".encode(), "J\u030c".encode()), ("q\u0307\u0323".encode(), "Q\u0323\u0307".encode()),
]
DISTINCT = [(b"a", b"b"), ("e".encode(), "é".encode()), ("ı".encode(), b"i"), ("²".encode(), b"2"), ("ａ".encode(), b"a")]


def expect(is_so, text):
    if not is_so:
        problems.append(text)


def fails(number, text, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except OSError as error:
        expect(error.errno == number, f"{text}: {errno.errorcode.get(error.errno)}, not {errno.errorcode[number]}")
    else:
        problems.append(f"{text}: no error, not {errno.errorcode[number]}")


def rename(old, new, flags=0, directories=(-100, -100)):
    if libc.renameat2(directories[0], os.fsencode(old), directories[1], os.fsencode(new), flags) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def write(name, text):
    with open(name, "wb") as out:
        out.write(text)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def names(path=b"."):
    return sorted(os.listdir(path))


def clear():
    for name in os.listdir(b"."):
        shutil.rmtree(name) if os.path.isdir(name) and not os.path.islink(name) else os.unlink(name)


def pairs():
    for one, other in PAIRS:
        for first, second in (one, other), (other, one):
            write(first, b"1")
            expect(os.path.exists(second) and read(second) == b"1", f"{first} is not found as {second}")
            expect(names() == [first], f"{first} is spelled {names()}")
            expect(os.stat(first).st_ino == os.stat(second).st_ino, f"{first} and {second} are two inodes")
            fails(errno.EEXIST, f"O_EXCL of {second}", os.open, second, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
            fails(errno.EEXIST, f"mkdir {second}", os.mkdir, second)
            fails(errno.EEXIST, f"symlink {second}", os.symlink, b"x", second)
            fails(errno.EEXIST, f"mkfifo {second}", os.mkfifo, second)
            fails(errno.EEXIST, f"link {second}", os.link, first, second)
            write(second, b"22")
            expect(names() == [first] and read(first) == b"22", f"{second} was written as {names()}")
            for flags in 0, EXCLUSIVE:
                rename(first, second, flags)
                expect(names() == [second] and read(first) == b"22", f"{first} renamed to {second} is {names()}")
                rename(second, first, flags)
                expect(names() == [first], f"{second} renamed to {first} is {names()}")
            # One that was looked at before under the other name, as a cache may have it.
            os.stat(second)
            os.rename(first, second)
            expect(names() == [second], f"{first} renamed to {second} after a look is {names()}")
            os.unlink(first)
            expect(names() == [], f"{second} deleted as {first} leaves {names()}")
    for one, other in DISTINCT:
        write(one, b"1")
        write(other, b"2")
        expect(read(one) == b"1" and len(names()) == 2, f"{one} and {other} are taken for one")
        clear()


def directories():
    for one, other in PAIRS:
        os.makedirs(one + b"/in/Deep")
        write(one + b"/in/Deep/file", b"x")
        inner = os.open(other + b"/IN", os.O_RDONLY | os.O_DIRECTORY)
        expect(read(other + b"/In/dEEP/FILE") == b"x", f"no way through {other}")
        expect(os.path.samefile(other + b"/in/..", one), f"{other}/in/.. is another directory")
        fails(errno.EEXIST, f"mkdir {other}", os.mkdir, other)
        for flags in 0, EXCLUSIVE:
            rename(one, other, flags)
            expect(names() == [other], f"the directory {one} renamed to {other} is {names()}")
            expect(os.listdir(inner) == ["Deep"] and os.path.samestat(os.stat("..", dir_fd=inner), os.stat(one)), f"{other} is lost to a descriptor")
            rename(other, one, flags)
        os.close(inner)
        fails(errno.ENOTEMPTY, f"rmdir {other}", os.rmdir, other)
        shutil.rmtree(other)
        expect(names() == [], f"{one} deleted as {other} leaves {names()}")


def renames():
    """Onto entries that match and are not the same."""
    os.mkdir("d")
    os.mkdir("e")
    write("d/old", b"old")
    write("d/README", b"readme")
    fails(errno.EEXIST, "RENAME_EXCL onto another", rename, "d/old", "d/Readme", EXCLUSIVE)
    rename("d/old", "d/Readme", EXCHANGE)
    expect(names(b"d") == [b"README", b"old"] and read("d/readme") == b"old", f"an exchange makes {names(b'd')}")
    rename("d/old", "d/Readme")
    expect(names(b"d") == [b"Readme"] and read("d/README") == b"readme", f"a replacement makes {names(b'd')}")
    write("e/readme", b"other")
    fails(errno.EEXIST, "RENAME_EXCL into another directory", rename, "e/README", "d/readME", EXCLUSIVE)
    rename("e/README", "d/readME")
    expect(names(b"d") == [b"readME"] and names(b"e") == [] and read("d/readme") == b"other", "a move onto a name of its own")
    descriptors = [os.open(name, os.O_RDONLY | os.O_DIRECTORY) for name in "de"]
    rename("README", "Other", 0, descriptors)
    expect(names(b"e") == [b"Other"], "a move by descriptors")
    for descriptor in descriptors:
        os.close(descriptor)
    fails(errno.ENOENT, "rename of nothing", rename, "d/x", "d/X")
    fails(errno.ENOENT, "exchange with nothing", rename, "e/other", "e/none", EXCHANGE)
    clear()


def hard_links():
    write("One", b"1")
    os.link("one", "Two")
    expect(os.stat("TWO").st_nlink == 2 and os.path.samefile("one", "two"), "a hard link")
    # Two names of one file: rename(2) leaves both.
    rename("One", "two")
    expect(names() == [b"One", b"Two"], f"a rename among hard links makes {names()}")
    rename("Two", "tWO")
    expect(names() == [b"One", b"tWO"], f"another spelling of a hard link makes {names()}")
    os.unlink("ONE")
    expect(names() == [b"tWO"] and os.stat("two").st_nlink == 1, "a hard link deleted")
    clear()


def bytes_of_names():
    for name in b"\xff", b"a\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"caf\xe9":
        fails(errno.EILSEQ, f"open {name}", os.open, name, os.O_CREAT | os.O_WRONLY)
        fails(errno.EILSEQ, f"stat {name}", os.lstat, name)
        fails(errno.EILSEQ, f"mkdir {name}", os.mkdir, name)
        fails(errno.EILSEQ, f"symlink {name}", os.symlink, b"x", name)
        write("x", b"")
        fails(errno.EILSEQ, f"rename to {name}", rename, b"x", name)
        fails(errno.EILSEQ, f"link to {name}", os.link, b"x", name)
        os.unlink("x")
    for name in b"a" * 255, "é".encode() * 127:
        write(name, b"long")
        expect(read(name.upper()) == b"long", f"a name of {len(name)} bytes")
        fails(errno.ENAMETOOLONG, "rename to a longer one", rename, name, name + b"aa")
        os.unlink(name)
    for name in b"a" * 256, "é".encode() * 128, b"a" * 1000:
        fails(errno.ENAMETOOLONG, f"open of {len(name)} bytes", os.open, name, os.O_CREAT | os.O_WRONLY)
        fails(errno.ENAMETOOLONG, f"mkdir of {len(name)} bytes", os.mkdir, name)
        fails(errno.ENAMETOOLONG, f"stat of {len(name)} bytes", os.lstat, name)
    # A path of many long names is no matter of the file system.
    here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(24):
        os.mkdir("D" * 255)
        os.chdir("d" * 255)
    write("bottom", b"")
    os.chdir("../" * 24)
    expect(os.path.samestat(os.stat("."), os.fstat(here)), "the way back up")
    os.close(here)
    clear()


def facts():
    write("File", b"x" * 10)
    os.setxattr("file", "user.a", b"1")
    expect(os.listxattr("FILE") == ["user.a"] and os.getxattr("FILE", "user.a") == b"1", "extended attributes")
    os.removexattr("FILE", "user.a")
    expect(os.listxattr("File") == [], "an extended attribute removed")
    fails(errno.ENODATA, "an attribute that is not there", os.getxattr, "file", "user.b")
    os.chmod("FILE", 0o640)
    os.utime("fILE", ns=(1_000_000_001, 2_000_000_003))
    status = os.stat("File")
    expect((status.st_mode & 0o7777, status.st_atime_ns, status.st_mtime_ns) == (0o640, 1_000_000_001, 2_000_000_003), f"facts: {status}")
    os.truncate("fiLE", 4)
    expect(os.stat("File").st_size == 4, "a length")
    os.symlink("FILE", "Link")
    os.utime("link", ns=(5, 6), follow_symlinks=False)
    expect(os.readlink("LINK") == "FILE" and os.lstat("link").st_mtime_ns == 6 and read("link") == b"xxxx", "a link")
    expect(os.statvfs(".").f_namemax == 255, "f_namemax")
    first, second = os.open("File", os.O_RDWR), os.open("FILE", os.O_RDWR)
    fcntl.flock(first, fcntl.LOCK_EX)
    fails(errno.EWOULDBLOCK, "a lock that is taken under another name", fcntl.flock, second, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with mmap.mmap(first, 4) as one, mmap.mmap(second, 4) as other:
        one[0:2] = b"yy"
        expect(other[0:4] == b"yyxx", "a map of the same file")
    os.unlink("fILE")
    os.write(first, b"z")
    expect(os.pread(second, 4, 0) == b"zyxx" and os.fstat(first).st_nlink == 0, "a file that is deleted while it is open")
    os.close(first)
    os.close(second)
    clear()
    for number in range(400):
        write(f"Entry {number}", b"")
    expect(len(names()) == 400 and os.path.exists("eNTRY 399"), "many entries")
    clear()


for check in pairs, directories, renames, hard_links, bytes_of_names, facts:
    check()
    expect(names() == [], f"{check.__name__} leaves {names()}")
print("\n".join(problems) or "as APFS")
sys.exit(1 if problems else 0)
