#!/usr/bin/env python3
"""Makes the directories of a set of simulators as Xcode keeps them, and prints what is in them, a JSON object a line.

    make_simulators.py DIR [--devices 3] [--apps 40] [--booted N,...] [--seed 1] [--damaged] [--bytes N]
                       [--also IDENTIFIER=NAME] [--keychain]

DIR is the set's own directory, as ~/Library/Developer/CoreSimulator/Devices is. The simulators' names and the apps are
the same for every seed, the identifiers are not. Every app is on every simulator; com.example.lone0, com.example.lone1 and
so on are on one each. --also puts one more on every simulator, with a group. A line of the output describes a container: udid, device, runtime, state, kind, identifier, uuid,
name (of data and bundles) and path. What --damaged adds is not in it. Each app has an executable with entitlements that
name its groups and one that is not there, except com.example.app00, app08 and so on, which have none.
--keychain gives each simulator a keychain with a log, as one has that was booted.
"""

import argparse
import json
import os
import plistlib
import random
import shutil
import sqlite3
import struct

IDENTITY = ".com.apple.mobile_container_manager.metadata.plist"
NAMES = ["iPhone 16", "iPhone 16 Pro", "iPad Air 13-inch (M2)", "iPhone SE (3rd generation)", "Caf\u00e9 \u2615"]
RUNTIMES = ["iOS-18-2", "iOS-17-5", "iOS-18-2"]


def executable(groups):
    """A Mach-O file as the linker writes it for a simulator: entitlements in a section, and what is signed beside it."""
    der = b"\x30\x00"
    parts = [(b"__text", b"\xc3"), (b"__ents_der", der)]
    if groups is not None:
        entitlements = {"application-identifier": "FAKETEAM.app", "com.apple.security.application-groups": groups}
        parts.insert(1, (b"__entitlements", plistlib.dumps(entitlements)))
    length = 72 + 80 * len(parts)
    place = 32 + length
    header = struct.pack("<8I", 0xFEEDFACF, 0x0100000C, 0, 2, 1, length, 0, 0)
    command = struct.pack("<2I16s4Q4I", 0x19, length, b"__TEXT", 0, 0, 0, 0, 5, 5, len(parts), 0)
    for name, content in parts:
        command += struct.pack("<16s16s2Q8I", name, b"__TEXT", place, len(content), place, 0, 0, 0, 0, 0, 0, 0)
        place += len(content)
    return header + command + b"".join(content for _, content in parts)


class Simulators:
    def __init__(self, top, seed):
        self.top = os.path.abspath(top)
        self.random = random.Random(seed)
        self.found = []
        os.makedirs(self.top, exist_ok=True)

    def uuid(self):
        digits = "%032X" % self.random.getrandbits(128)
        return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])

    def write(self, path, value, binary):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            plistlib.dump(value, file, fmt=plistlib.FMT_BINARY if binary else plistlib.FMT_XML)

    def device(self, number, booted):
        """A simulator: the name comes round again after as many as there are names."""
        device = {
            "udid": self.uuid(),
            "device": NAMES[number % len(NAMES)],
            "runtime": "com.apple.CoreSimulator.SimRuntime." + RUNTIMES[number % len(RUNTIMES)],
            "state": 3 if booted else 1,
        }
        description = {
            "UDID": device["udid"],
            "deviceType": "com.apple.CoreSimulator.SimDeviceType.iPhone-16",
            "name": device["device"],
            "runtime": device["runtime"],
            "state": device["state"],
        }
        self.write(os.path.join(self.top, device["udid"], "device.plist"), description, number % 2 == 1)
        return device

    def keychain(self, device):
        """A database with the tables of a keychain, whose last item is still in the log."""
        directory = os.path.join(self.top, device["udid"], "data/Library/Keychains")
        os.makedirs(directory)
        path = os.path.join(directory, "keychain-2-debug.db")
        made = sqlite3.connect(path + ".made")
        made.execute("PRAGMA journal_mode=WAL")
        made.execute("PRAGMA wal_autocheckpoint=0")
        for table in ["genp", "inet", "cert", "keys"]:
            made.execute(f"CREATE TABLE {table}(rowid INTEGER PRIMARY KEY, acct TEXT, agrp TEXT, data BLOB)")
        made.execute("INSERT INTO genp VALUES(1, 'alice', 'TEAM.com.example.app01', x'5ec7e7aa5ec7e7aa')")
        made.execute("INSERT INTO inet VALUES(1, 'bob', 'TEAM.com.example.app02', x'5ec7e7bb5ec7e7bb')")
        made.commit()
        made.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        made.execute("INSERT INTO genp VALUES(2, 'carol', 'TEAM.com.example.app01', x'5ec7e7cc5ec7e7cc')")
        made.commit()
        for end in ["", "-wal", "-shm"]:
            shutil.copyfile(path + ".made" + end, path + end)
        made.close()
        os.remove(path + ".made")
        with open(os.path.join(directory, "TrustStore.sqlite3"), "wb") as file:
            file.write(b"not the keychain")

    def place(self, device, kind):
        below = {"data": "Data/Application", "bundle": "Bundle/Application", "group": "Shared/AppGroup"}[kind]
        return os.path.join(self.top, device["udid"], "data/Containers", below)

    def container(self, device, kind, identifier, content_class, binary):
        """A container's directory with its identity; returns its path and its UUID."""
        uuid = self.uuid()
        path = os.path.join(self.place(device, kind), uuid)
        identity = {
            "MCMMetadataContentClass": content_class,
            "MCMMetadataIdentifier": identifier,
            "MCMMetadataUUID": self.uuid(),
        }
        self.write(os.path.join(path, IDENTITY), identity, binary)
        return path, uuid

    def note(self, device, kind, identifier, uuid, path, name=None):
        line = dict(device, kind=kind, identifier=identifier, uuid=uuid, path=path)
        if name is not None:
            line["name"] = name
        self.found.append(line)

    def app(self, device, number, identifier, name, groups, size, entitled=True):
        binary = number % 2 == 0
        data, uuid = self.container(device, "data", identifier, 2, binary)
        self.note(device, "data", identifier, uuid, data, name)
        for directory in ["Documents", "Library/Preferences", "Library/Caches", "SystemData", "tmp"]:
            os.makedirs(os.path.join(data, directory))
        with open(os.path.join(data, "Documents/note.txt"), "wb") as file:
            file.write(b"%s on %s\n" % (identifier.encode(), device["device"].encode()))
            file.write(bytes(self.random.getrandbits(8) for _ in range(size)))
        self.write(os.path.join(data, "Library/Preferences", identifier + ".plist"), {"Launches": number}, True)

        container, uuid = self.container(device, "bundle", identifier, 1, binary)
        bundle = os.path.join(container, name.replace(" ", "") + ".app")
        info = {"CFBundleExecutable": name.replace(" ", ""), "CFBundleIdentifier": identifier, "CFBundleName": name}
        self.write(os.path.join(bundle, "Info.plist"), info, binary)
        with open(os.path.join(bundle, info["CFBundleExecutable"]), "wb") as file:
            file.write(executable(groups + ["group.not.there"] if entitled else None))
        self.note(device, "bundle", identifier, uuid, bundle, name)

        for group in groups:
            path, uuid = self.container(device, "group", group, 7, not binary)
            self.note(device, "group", group, uuid, path)

    def damage(self, device):
        """What a search must survive: none of it is to be found, and the links lead to what is not in the set."""
        self.write(os.path.join(self.top, "device_set.plist"), {"Version": 0}, True)
        os.makedirs(os.path.join(self.top, self.uuid()))  # A deleted simulator.
        os.makedirs(os.path.join(self.top, "ABCDEFGH-0000-0000-0000-000000000000/data/Containers"))
        # A simulator whose description is cut short, and one that is a link.
        torn = os.path.join(self.top, self.uuid())
        os.makedirs(os.path.join(torn, "data/Containers/Data/Application"))
        with open(os.path.join(torn, "device.plist"), "wb") as file:
            file.write(plistlib.dumps({"name": "Torn", "state": 1})[:-30])
        outside = self.top + ".outside"
        os.makedirs(outside, exist_ok=True)
        self.write(os.path.join(outside, "device.plist"), {"name": "Outside", "state": 3}, False)
        os.symlink(outside, os.path.join(self.top, self.uuid()))
        # Containers: one that is a link, one without identity, one whose identity is garbage, and one whose is huge.
        place = self.place(device, "data")
        self.write(os.path.join(outside, IDENTITY), {"MCMMetadataIdentifier": "com.example.outside"}, False)
        os.symlink(outside, os.path.join(place, self.uuid()))
        os.makedirs(os.path.join(place, self.uuid(), "Documents"))
        for content in [b"garbage", b"bplist00\xff\xff", b" " * (3 << 20)]:
            path = os.path.join(place, self.uuid(), IDENTITY)
            os.makedirs(os.path.dirname(path))
            with open(path, "wb") as file:
                file.write(content)
        path = os.path.join(place, self.uuid(), IDENTITY)
        os.makedirs(os.path.dirname(path))
        os.mkfifo(path)
        # A bundle without an app in it, and one of which nothing tells whose it is.
        os.makedirs(os.path.join(self.place(device, "bundle"), self.uuid()))
        os.makedirs(os.path.join(self.place(device, "bundle"), self.uuid(), "Nameless.app"))
        with open(os.path.join(place, "a file"), "wb") as file:
            file.write(b"not a directory\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--devices", type=int, default=3)
    parser.add_argument("--apps", type=int, default=40)
    parser.add_argument("--booted", default="1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bytes", type=int, default=0)
    parser.add_argument("--damaged", action="store_true")
    parser.add_argument("--keychain", action="store_true")
    parser.add_argument("--also", action="append", default=[])
    options = parser.parse_args()
    simulators = Simulators(options.directory, options.seed)
    booted = {int(number) for number in options.booted.split(",") if number}
    first = None
    for number in range(options.devices):
        device = simulators.device(number, number in booted)
        first = first or device
        if options.keychain:
            simulators.keychain(device)
        for app in range(options.apps):
            identifier = "com.example.app%02d" % app
            groups = ["group." + identifier] if app % 4 == 0 else []
            groups += ["0TEAM1234X." + identifier + ".shared"] if app % 8 == 0 else []
            simulators.app(device, app, identifier, "App %02d" % app, groups, options.bytes, app % 8 != 0)
        for identifier, name in (also.split("=") for also in options.also):
            simulators.app(device, number, identifier, name, ["group." + identifier], options.bytes)
        lone = "com.example.lone%d" % number
        simulators.app(device, number, lone, "Lone %d" % number, ["group.of.many"], options.bytes)
    if options.damaged:
        simulators.damage(first)
    for line in simulators.found:
        print(json.dumps(line, sort_keys=True))


if __name__ == "__main__":
    main()
