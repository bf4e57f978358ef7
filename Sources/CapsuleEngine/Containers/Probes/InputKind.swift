import CapsuleArchive
import CapsuleCore
import CapsulePropertyList
import CapsuleSystem

/// The kind of input that a name on the command line leads to, for a comparison.
public enum InputKind: Sendable {
    /// A container of any form.
    case container
    /// A single property list, or JSON.
    case propertyList
    /// A single file of another kind.
    case file
    /// The same kind as the other side: for standard input, a pipe, or a name that does not exist.
    case either

    /// Judges a file by its first bytes. A file that can't be opened counts as a container, because a container's errors say most.
    public init(of argument: [UInt8]) {
        let path = HostPath(argument)
        if path == .standardStream || FileProbe.isPipe(path) {
            self = .either
        } else if !FileProbe.isDirectory(path), let file = try? CapsuleFile(opening: path),
            let start = try? file.read(at: 0, count: Int(min(file.length, UInt64(Self.headLength))))
        {
            self = Self.isArchive(start) ? .container : Self.isValue(start, of: file) ? .propertyList : .file
        } else if let name = ContainedName(argument) {
            self = Self.kind(of: name)
        } else if let isThere = try? FileProbe.exists(path), !isThere, VersionedName(argument) == nil,
            SimulatorName(argument) == nil
        {
            self = .either
        } else {
            self = .container
        }
    }

    /// Returns the error for an argument that can't be compared with a file of another kind, because it does not exist or is not a
    /// file.
    public static func unfit(_ argument: [UInt8]) -> CapsuleError {
        let path = HostPath(argument)
        guard path == .standardStream || FileProbe.isPipe(path) else { return CapsuleError("does not exist", path: path) }
        return CapsuleError(
            .usage, "standard input and pipes are compared only with property lists and containers", path: path,
            hint: "write it to a file first")
    }

    /// - Throws: `notFound` for an argument that follows a container and does not exist, because it may be a path in both of the
    ///   container's versions.
    public static func refusePath(_ new: [UInt8], after old: [UInt8]) throws(CapsuleError) {
        let path = HostPath(new)
        guard InputKind(of: old) == .container, InputKind(of: new) == .either, path != .standardStream,
            try !FileProbe.exists(path)
        else { return }
        throw CapsuleError(
            .notFound, "cannot open: no such file or directory", path: path,
            hint: VersionedName(old) == nil && !FileProbe.isDirectory(HostPath(old))
                ? "'capsule diff \(HostPath(old))@~1.. \(path)' compares a part of the last two versions" : nil)
    }

    /// Throws the reason that a file can't be opened, because nothing else is known about such a file. Does nothing for a
    /// directory.
    public static func refuseUnreadable(_ argument: [UInt8]) throws(CapsuleError) {
        let path = HostPath(argument)
        guard try FileProbe.exists(path), !FileProbe.isDirectory(path) else { return }
        _ = try CapsuleError.wrapping { () throws(FileSystemError) in try CapsuleFile(opening: path) }
    }

    /// Returns the kind of a file in a container, which is never a container itself. Code that reads the file throws the error if
    /// it can't be read.
    private static func kind(of name: ContainedName) -> InputKind {
        guard let file = try? FoundFile(name), let head = try? file.head(ContentKind.headBytes) else { return .file }
        return isValue(head, size: file.entry.size) ? .propertyList : .file
    }

    /// Returns true if a file is a property list or JSON, or empty: an empty file is not anything else, either.
    private static func isValue(_ start: [UInt8], of file: CapsuleFile) -> Bool {
        let head = (try? file.read(at: 0, count: Int(min(file.length, UInt64(ContentKind.headBytes))))) ?? start
        return isValue(head, size: file.length)
    }

    private static func isValue(_ head: [UInt8], size: UInt64) -> Bool {
        if head.isEmpty { return true }
        let kind = ContentKind.candidates(head, size: size).first
        return kind == .plist || kind == .json
    }

    /// The number of bytes that are enough to judge a file.
    static let headLength = 512
    /// The first bytes of each form of archive. A capsule begins like gzip or zstd.
    private static let magics: [[UInt8]] = [
        [0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], Array("BZh".utf8),
        [0x50, 0x4B, 0x03, 0x04], [0x50, 0x4B, 0x05, 0x06],
    ]
    /// The magic of a tar header, and its offset (POSIX.1-2017, pax, "ustar Interchange Format").
    private static let tarMagic = (offset: 257, bytes: Array("ustar".utf8))

    /// Returns true if a file with these first bytes is an archive of any form.
    static func isArchive(_ start: [UInt8]) -> Bool {
        if magics.contains(where: { start.starts(with: $0) }) { return true }
        // A skippable frame of zstd, with which a capsule may begin.
        if start.count >= 4, start[0] & 0xF0 == 0x50, Array(start[1...3]) == [0x2A, 0x4D, 0x18] { return true }
        return start.dropFirst(tarMagic.offset).starts(with: tarMagic.bytes)
    }
}

/// A file in a container as one argument names it: `CONTAINER:PATH`, such as `run.capsule@1:Documents/list.txt`.
public struct ContainedName: Sendable {
    /// The container, as ``Container`` takes it.
    public let container: [UInt8]
    /// The path in the container.
    public let path: [UInt8]

    private static let colon = UInt8(ascii: ":")
    private static let simulator = Array("sim:".utf8)

    /// Splits an argument at the last `:` that follows the name of something that exists.
    ///
    /// - Returns: nil if there is no such `:`, or if a file has the whole argument as its name.
    public init?(_ argument: [UInt8]) {
        guard argument.contains(Self.colon), (try? FileProbe.exists(HostPath(argument))) != true else { return nil }
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
        (try? FileProbe.exists(HostPath(name))) == true || VersionedName(name) != nil
    }

    /// The name of the file itself, without its directory.
    var name: [UInt8] { HostPath(path).name }
}

/// A version of a capsule as one argument names it: `FILE@VERSION`.
struct VersionedName {
    /// The file, which exists.
    let file: HostPath
    /// The text after the `@`.
    let version: [UInt8]

    /// - Returns: nil if no file has the name before the last `@`.
    init?(_ argument: [UInt8]) {
        guard let at = argument.lastIndex(of: UInt8(ascii: "@")), at > 0 else { return nil }
        file = HostPath(Array(argument[..<at]))
        version = Array(argument[(at + 1)...])
        guard (try? FileProbe.exists(file)) == true else { return nil }
    }
}
