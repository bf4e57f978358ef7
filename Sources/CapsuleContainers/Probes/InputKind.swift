import CapsuleArchive
package import CapsuleCore
import CapsuleRemote

/// The kind of input that a name on the command line leads to, for a comparison.
package enum InputKind: Sendable {
    case container
    case file
    /// The same kind as the other side: for standard input, a pipe, or a name that does not exist.
    case either

    package static let headLength = 512
    /// The first bytes of each form of archive. A capsule begins like gzip or zstd.
    private static let magics: [[UInt8]] =
        [
            [0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], Array("BZh".utf8),
            [0x50, 0x4B, 0x03, 0x04], [0x50, 0x4B, 0x05, 0x06],
        ] + EncryptedFile.magics
    /// The magic of a tar header, and its offset (POSIX.1-2017, pax, "ustar Interchange Format").
    private static let tarMagic = (offset: 257, bytes: Array("ustar".utf8))

    /// Judges a file by its first bytes. A file that can't be opened counts as a container, because a container's errors say most.
    package init(of argument: [UInt8]) {
        let path = HostPath(argument)
        if path == .standardStream || FileProbe.isPipe(path) {
            self = .either
        } else if Self.isContainer(argument) {
            self = .container
        } else {
            // Code that reads a file in a container throws the error if it can't be read.
            let isFile = ContainedName(argument) != nil || (try? CapsuleFile(opening: path)) != nil
            self = isFile ? .file : .either
        }
    }

    package static func isArchive(_ start: [UInt8]) -> Bool {
        if magics.contains(where: { start.starts(with: $0) }) { return true }
        // A skippable frame of zstd, with which a capsule may begin.
        if start.count >= 4, start[0] & 0xF0 == 0x50, Array(start[1...3]) == [0x2A, 0x4D, 0x18] { return true }
        return start.dropFirst(tarMagic.offset).starts(with: tarMagic.bytes)
    }

    /// Returns true if an argument names a container. What can't be opened counts as one, because a container's errors say most.
    package static func isContainer(_ argument: [UInt8]) -> Bool {
        let path = HostPath(argument)
        if RemoteAddress.isAddress(argument) { return true }
        if path == .standardStream || FileProbe.isPipe(path) { return false }
        if !FileProbe.isDirectory(path), let file = try? CapsuleFile(opening: path),
            let start = try? file.read(at: 0, count: Int(min(file.length, UInt64(headLength))))
        {
            return isArchive(start)
        }
        if ContainedName(argument) != nil { return false }
        return (try? FileProbe.exists(path)) != false || VersionedName(argument) != nil || SimulatorName(argument) != nil
    }

    /// Throws the reason that a file can't be opened, because nothing else is known about such a file. Does nothing for a
    /// directory.
    package static func refuseUnreadable(_ argument: [UInt8]) throws(CapsuleError) {
        let path = HostPath(argument)
        guard try FileProbe.exists(path), !FileProbe.isDirectory(path) else { return }
        _ = try CapsuleFile(opening: path)
    }
}

/// A file in a container as one argument names it: `CONTAINER:PATH`, such as `run.capsule@1:Documents/list.txt`.
package struct ContainedName: Sendable {
    package let container: [UInt8]
    package let path: [UInt8]

    private static let colon = UInt8(ascii: ":")
    private static let simulator = Array("sim:".utf8)

    /// Splits an argument at the last `:` that follows the name of something that exists.
    /// - Returns: nil if no `:` follows the name of an existing container, or if a file has the whole argument as its name.
    package init?(_ argument: [UInt8]) {
        guard argument.contains(Self.colon), !RemoteAddress.isAddress(argument),
            (try? FileProbe.exists(HostPath(argument))) != true
        else { return nil }
        let split =
            argument.starts(with: Self.simulator)
            ? Self.endOfBundleIdentifier(in: argument)
            : argument.indices.last { argument[$0] == Self.colon && $0 > 0 && Self.isThere(Array(argument[..<$0])) }
        guard let split, split + 1 < argument.count else { return nil }
        container = Array(argument[..<split])
        path = Array(argument[(split + 1)...])
    }

    /// Returns the position of the `:` after the bundle identifier in `sim:[DEVICE/]BUNDLE-ID:PATH`. The name of a device may
    /// contain a `:`, too, so the text before the `:` must look like a bundle identifier.
    private static func endOfBundleIdentifier(in argument: [UInt8]) -> Int? {
        var start = simulator.count
        for place in argument.indices.dropFirst(start) {
            switch argument[place] {
            case UInt8(ascii: "/"): start = place + 1
            case colon where isBundleIdentifier(argument[start..<place]): return place
            default: break
            }
        }
        return nil
    }

    private static func isBundleIdentifier(_ text: ArraySlice<UInt8>) -> Bool {
        text.contains(UInt8(ascii: "."))
            && text.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."): true
                default: false
                }
            }
    }

    private static func isThere(_ name: [UInt8]) -> Bool {
        if (try? FileProbe.exists(HostPath(name))) == true { return true }
        // No version has a `:`, but a path after one may.
        return VersionedName(name).map { !$0.version.contains(colon) } ?? false
    }

    package var name: [UInt8] { HostPath(path).name }
}

/// A version of a capsule as one argument names it: `FILE@VERSION`.
package struct VersionedName {
    package let file: HostPath
    let version: [UInt8]

    /// - Returns: nil if no file has the name before the last `@`.
    package init?(_ argument: [UInt8]) {
        guard let at = argument.lastIndex(of: UInt8(ascii: "@")), at > 0, !RemoteAddress.isAddress(argument) else { return nil }
        file = HostPath(Array(argument[..<at]))
        version = Array(argument[(at + 1)...])
        guard (try? FileProbe.exists(file)) == true else { return nil }
    }

    package func selector() throws(CapsuleError) -> VersionSelector {
        try VersionSelector(String(decoding: version, as: UTF8.self), of: file)
    }
}

extension VersionSelector {
    /// - Throws: `usage` if the text after an `@` is not a version.
    init(_ text: String, of file: HostPath) throws(CapsuleError) {
        guard let selector = VersionSelector(text) else {
            throw CapsuleError(
                .usage, "'\(text)' is not a version", path: file,
                hint: "a version is a number, a label, 'latest', 'first' or '~1'")
        }
        self = selector
    }
}
