#!/usr/bin/env python3
"""Attacks a running `capsule serve` as a hostile program on the same machine would, and checks that it stays as it was.

    attack_server.py PORTFILE PID UDID UDID [--requests 1000] [--seed 1]

PID is the server's process; the UDIDs are two simulators that have the project's app, and a version is labeled clean. Prints what
is wrong and exits with 1, or exits with 0.
"""
import argparse
import json
import os
import random
import socket
import struct
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(HERE, "..", "..", "Fuzz", "Corpus", "request")


def check(condition, message):
    if not condition:
        print("attack_server: " + message)
        sys.exit(1)


class Server:
    def __init__(self, path, process):
        with open(path) as file:
            found = json.load(file)
        self.port, self.token, self.process = found["port"], found["token"], process

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=120)

    def message(self, action, body, token=None):
        body = json.dumps(body).encode()
        head = f"POST /v1/{action} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {token or self.token}\r\n"
        return (head + f"Content-Length: {len(body)}\r\n\r\n").encode() + body

    def send(self, message):
        """The status of the answer, and its body; None if there is none."""
        with self.connect() as connection:
            try:
                connection.sendall(message)
                connection.shutdown(socket.SHUT_WR)
                answer = b""
                while True:
                    part = connection.recv(1 << 16)
                    if not part:
                        break
                    answer += part
            except (ConnectionResetError, BrokenPipeError, OSError):
                return None, b""
        if not answer:
            return None, b""
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split(b" ")[1]), body

    def ask(self, action, **body):
        status, answer = self.send(self.message(action, body))
        check(status is not None, f"no answer to {action} {body}")
        return status, json.loads(answer)

    def size(self):
        """The open files, the threads and the memory of the process, in kB."""
        with open(f"/proc/{self.process}/status") as file:
            found = dict(line.split(":", 1) for line in file)
        return len(os.listdir(f"/proc/{self.process}/fd")), int(found["Threads"]), int(found["VmRSS"].split()[0])


def malformed(server, count, generator):
    """Changed requests, none of which has the token."""
    seeds = []
    for name in sorted(os.listdir(CORPUS)):
        with open(os.path.join(CORPUS, name), "rb") as file:
            seeds.append(file.read().replace(b"49152", str(server.port).encode()))
    for number in range(count):
        message = bytearray(generator.choice(seeds))
        for _ in range(generator.randint(0, 4)):
            at = generator.randrange(len(message) + 1)
            what = generator.randrange(4)
            if what == 0 and at < len(message):
                message[at] = generator.randrange(256)
            elif what == 1:
                del message[at:at + generator.randrange(16)]
            elif what == 2:
                message[at:at] = generator.randbytes(generator.randrange(16))
            else:
                message[at:at] = generator.choice(seeds)[:generator.randrange(200)]
        status, _ = server.send(bytes(message))
        check(status is None or 400 <= status < 500 or status == 505, f"request {number} got {status}: {bytes(message)!r}")


def slow(server, device):
    """64 connections that never finish, beside one that does."""
    connections = [server.connect() for _ in range(64)]
    begun = time.monotonic()
    for connection in connections:
        connection.sendall(b"P")
    status, _ = server.ask("restore", version="clean", device=device)
    check(status == 200, f"beside slow connections, restore got {status}")
    open_ones = set(connections)
    while open_ones:
        check(time.monotonic() - begun < 60, "slow connections stay open")
        for connection in list(open_ones):
            try:
                connection.sendall(b"O")
                connection.setblocking(False)
                try:
                    if not connection.recv(1 << 12):
                        open_ones.discard(connection)
                except BlockingIOError:
                    pass
                connection.setblocking(True)
            except OSError:
                open_ones.discard(connection)
        time.sleep(0.2)
    for connection in connections:
        connection.close()


def endless(server):
    head = f"POST /v1/restore HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
    for length, wanted in [("Content-Length: 1000000000000", 413), ("Transfer-Encoding: chunked", 411), ("A: " + "x" * 20000, 431)]:
        with server.connect() as connection:
            sent, answer = 0, b""
            try:
                connection.sendall((head + length + "\r\n\r\n").encode())
                while sent < 64 << 20:
                    connection.sendall(b"x" * (1 << 16))
                    sent += 1 << 16
            except OSError:
                pass
            try:
                answer = connection.recv(1 << 12)
            except OSError:
                pass
            check(sent < 64 << 20, "a body that never ends is read")
            check(not answer or int(answer.split(b" ")[1]) == wanted, f"{length[:20]}: {answer[:40]!r}")


def killed(server, devices):
    """Clients that are gone before the answer."""
    for device in devices * 4:
        connection = server.connect()
        connection.sendall(server.message("restore", {"version": "clean", "device": device}))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()


def parallel(server, devices):
    found = []

    def client(number):
        for action, body in [("restore", {"version": "clean"}), ("diff", {})]:
            status, answer = server.ask(action, device=devices[number % len(devices)], **body)
            found.append((status, answer["status"]))

    threads = [threading.Thread(target=client, args=(number,)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(found == [(200, 0)] * 64, f"32 clients got {sorted(set(found))}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("portfile")
    parser.add_argument("process", type=int)
    parser.add_argument("devices", nargs=2)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    server, devices = Server(arguments.portfile, arguments.process), arguments.devices
    generator = random.Random(arguments.seed)

    parallel(server, devices)
    before = server.size()
    malformed(server, arguments.requests, generator)
    for _ in range(100):
        status, _ = server.send(server.message("restore", {"version": "clean"}, generator.randbytes(32).hex()))
        check(status == 401, f"a guessed token got {status}")
    endless(server)
    killed(server, devices)
    slow(server, devices[0])
    parallel(server, devices)
    after = server.size()
    # Threads of connections that have ended may still be ending.
    for _ in range(100):
        if after[:2] <= before[:2]:
            break
        time.sleep(0.1)
        after = server.size()
    check(after[0] <= before[0] and after[1] <= before[1], f"files and threads: {before[:2]}, then {after[:2]}")
    check(after[2] < before[2] + (32 << 10), f"memory: {before[2]} kB, then {after[2]} kB")


main()
