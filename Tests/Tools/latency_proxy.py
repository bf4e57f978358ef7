#!/usr/bin/env python3
"""Pass connections on to a port of this machine, late, and cut where one wants.

usage: latency_proxy.py PORT [--rtt MS] [--rate BYTES] [--cut-after N] [--connection K] [--stall | --reset] [--log FILE] [--ready FILE]

--rtt MS        bytes take half of it each way; a connection is there after all of it, as after TCP's handshake
--rate BYTES    an answer's bytes a second, at most, on each connection
--cut-after N   a connection is closed after N bytes of answers, exactly; --reset resets it instead, and with --stall it stays open and
                silent
--connection K  only the K-th connection is cut, from 1; without it, all are
--log FILE      a JSON object a line for each connection when it ends: its number, opened, first (byte of an answer) and closed in
                seconds since the start, requested and answered in bytes, and whether it was cut

serving.py says how it tells its port and how it ends. Connections that are open then are logged as well.
"""
import argparse
import asyncio
import json
import socket
import struct
import threading
import time

import serving


class Proxy:
    def __init__(self, options):
        self.options = options
        self.started, self.opened, self.open = time.monotonic(), 0, {}
        self.log = open(options.log, "a", encoding="utf-8") if options.log else None

    def now(self):
        return round(time.monotonic() - self.started, 4)

    def close(self, number):
        """Logs a connection that ended."""
        facts = self.open.pop(number, None)
        if facts and self.log:
            self.log.write(json.dumps({**facts, "closed": self.now()}) + "\n")
            self.log.flush()

    async def pump(self, reader, writer, facts, key, limit=None):
        """Passes bytes on, each half a round trip after it came. True if `limit` bytes were passed on, where all ends."""
        delay, loop, queue = self.options.rtt / 2000, asyncio.get_running_loop(), asyncio.Queue(1024)

        async def read():
            piece = b"-"
            while piece:
                try:
                    piece = await reader.read(65536)
                except OSError:
                    piece = b""
                await queue.put((loop.time() + delay, piece))

        task = asyncio.create_task(read())
        try:
            while True:
                due, piece = await queue.get()
                await asyncio.sleep(max(0, due - loop.time()))
                if not piece:
                    writer.write_eof()
                    return False
                if limit is not None:
                    piece = piece[:limit - facts[key]]
                if key == "answered" and facts["first"] is None:
                    facts["first"] = self.now()
                facts[key] += len(piece)
                writer.write(piece)
                await writer.drain()
                if facts[key] == limit:
                    return True
                if key == "answered" and self.options.rate:
                    await asyncio.sleep(len(piece) / self.options.rate)
        finally:
            task.cancel()

    async def serve(self, reader, writer):
        self.opened += 1
        number = self.opened
        facts = {"connection": number, "opened": self.now(), "first": None, "requested": 0, "answered": 0, "cut": False}
        self.open[number] = facts
        limit = self.options.cut_after if self.options.connection in (None, number) else None
        target, tasks = None, []
        try:
            await asyncio.sleep(self.options.rtt / 1000)
            target_reader, target = await asyncio.open_connection("127.0.0.1", self.options.port)
            tasks = [asyncio.create_task(self.pump(reader, target, facts, "requested")),
                     asyncio.create_task(self.pump(target_reader, writer, facts, "answered", limit))]
            facts["cut"] = limit == 0 or await tasks[1]
            if facts["cut"] and self.options.stall:
                await tasks[0]
            if facts["cut"] and self.options.reset:
                await asyncio.sleep(0.05)  # The client gets the bytes first.
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
            if not facts["cut"]:
                await tasks[0]
        except OSError:
            pass
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for one in (writer, target):
                if one:
                    one.close()
            self.close(number)

    async def listen(self, ready):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        ready(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    def end(self):
        for number in sorted(self.open):
            self.close(number)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--rtt", type=float, default=0)
    parser.add_argument("--rate", type=float)
    parser.add_argument("--cut-after", type=int)
    parser.add_argument("--connection", type=int)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--stall", action="store_true")
    how.add_argument("--reset", action="store_true")
    parser.add_argument("--log")
    parser.add_argument("--ready")
    options = parser.parse_args()
    proxy = Proxy(options)
    ready = lambda port: serving.announce({"port": port, "url": f"http://127.0.0.1:{port}"}, options.ready)
    threading.Thread(target=lambda: asyncio.run(proxy.listen(ready)), daemon=True).start()
    serving.until_abandoned(proxy.end)


if __name__ == "__main__":
    main()
