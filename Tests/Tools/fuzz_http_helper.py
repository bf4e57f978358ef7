#!/usr/bin/env python3
"""Send capsule-http random and damaged frames, and answers that no server should give, for some seconds.

usage: fuzz_http_helper.py PROGRAM [SECONDS] [SEED]

Each run of PROGRAM gets some frames (Sources/capsule-http/frames.h) and the end of its input. It must end soon, with status 0, or with status 1
and a message, and all that it sends must be frames, the last of which may be cut. Build it with -fsanitize=address,undefined. The seed is
always the same unless CAPSULE_TEST_SEED or SEED sets another one.
"""
import os
import random
import re
import socket
import struct
import subprocess
import sys
import threading
import time

HEADS = [
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", b"HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-4/9\r\nContent-Length: 5\r\n\r\nhello",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nTrailer: 1\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", b"HTTP/1.0 200 OK\r\n\r\n" + bytes(300_000),
    b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 400_000 + b"\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"Some: field\r\n" * 30_000 + b"\r\n",
]


def damaged(data, chance):
    """`data` with some bytes changed, removed or doubled."""
    data = bytearray(data)
    for _ in range(chance.choice([0, 0, 1, 1, 2, 5])):
        if not data:
            break
        at = chance.randrange(len(data))
        length = chance.randrange(1, 12)
        how = chance.randrange(4)
        if how == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif how == 1:
            data[at] = chance.randrange(256)
        elif how == 2:
            del data[at:at + length]
        else:
            data[at:at] = data[at:at + length]
    return bytes(data)


def serve(server, chance):
    """Answers each connection once with a damaged answer."""
    while True:
        connection = server.accept()[0]
        try:
            connection.settimeout(1)
            connection.recv(65536)
            connection.sendall(damaged(chance.choice(HEADS), chance))
        except OSError:
            pass
        connection.close()


def frame(kind, number, payload):
    return kind + struct.pack(">II", number, len(payload)) + payload


def frames(chance, port):
    """What capsule might send, damaged."""
    for _ in range(chance.randrange(1, 12)):
        number, kind = chance.randrange(4), chance.randrange(16)
        if kind < 9:
            lines = [b"url http://127.0.0.1:%d/x" % chance.choice([port, port, 1]), b"plain "]
            lines += chance.sample([b"method GET", b"method HEAD", b"method PUT", b"header A: b", b"header Expect:", b"body 70000", b"body 3",
                                    b"body 99999999999999999999", b"authorities 1", b"authorities 9", b"authorities-folder /etc", b"certificate x",
                                    b"key y", b"unknown", b"", b" "], chance.randrange(4))
            made = frame(b"R", number, b"\n".join(lines) + b"\n")
        elif kind == 9:
            made = frame(b"A", chance.randrange(3), chance.choice([b"", b"no certificate", bytes(5000)]))
        elif kind < 12:
            length = chance.choice([0, 3, 8, 1000, 65536, 65544, 65545])
            made = frame(b"D", number, struct.pack(">Q", chance.choice([0, 0, 1, 1 << 63])) + bytes(max(0, length - 8)))
        elif kind < 15:
            made = frame(b"X", number, b"")
        else:
            made = chance.randbytes(chance.randrange(40))
        yield made if chance.randrange(3) else damaged(made, chance)


def check(output):
    """What is wrong with the frames in `output`; None if nothing is. At the end of its input the program ends at once, so what the pipe did not
    take by then is missing."""
    at = 0
    while at + 9 <= len(output):
        kind, (_, length) = output[at:at + 1], struct.unpack_from(">II", output, at + 1)
        if kind not in (b"V" if at == 0 else b"HBWE") or length > 1 << 19:
            return f"a frame {kind} of {length} bytes at {at}"
        at += 9 + length
    return None


def main():
    program, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 5
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(os.environ.get("CAPSULE_TEST_SEED", 7))
    chance, server = random.Random(seed), socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(server, random.Random(seed)), daemon=True).start()
    end, runs, messages = time.monotonic() + seconds, 0, {}
    while time.monotonic() < end or runs < 40:
        runs += 1
        process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        sent = list(frames(chance, server.getsockname()[1]))

        def write():
            try:
                for one in sent:
                    process.stdin.write(one)
                    process.stdin.flush()
                time.sleep(0.03)
                process.stdin.close()
            except OSError:
                pass

        writer = threading.Thread(target=write)
        writer.start()
        killer = threading.Timer(60, process.kill)
        killer.start()
        output, errors = process.stdout.read(), process.stderr.read().decode(errors="replace")
        status = process.wait()
        killer.cancel()
        writer.join()
        process.stdin = None
        wrong = check(output) if status == 0 else None
        message = re.fullmatch(r"capsule-http: error: (.+)\n", errors)
        if wrong or status not in (0, 1) or status == 0 and errors or status == 1 and not message:
            sys.exit(f"seed {seed}, run {runs}: status {status}, {wrong}\n{errors}\n{sent}")
        said = message[1] if message else "went on"
        messages[said] = messages.get(said, 0) + 1
    print(f"{runs} runs, seed {seed}: " + ", ".join(f"{said}: {count}" for said, count in sorted(messages.items())))
    if not messages.get("went on") or len(messages) < 2:
        sys.exit("too little was tried")


if __name__ == "__main__":
    main()
