import CapsuleArchive
package import CapsuleCore
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

    /// The number of bytes that are enough to judge a file.
    package static let headLength = 512
    /// The first bytes of each form of archive. A capsule begins like gzip or zstd.
    private static let magics: [[UInt8]] = [
        [0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], Array("BZh".utf8),
        [0x50, 0x4B, 0x03, 0x04], [0x50, 0x4B, 0x05, 0x06],
    ]
    /// The magic of a tar header, and its offset (POSIX.1-2017, pax, "ustar Interchange Format").
    private static let tarMagic = (offset: 257, bytes: Array("ustar".utf8))

    /// Returns true if a file with these first bytes is an archive of any form.
    package static func isArchive(_ start: [UInt8]) -> Bool {
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
    package var name: [UInt8] { HostPath(path).name }
}

/// A version of a capsule as one argument names it: `FILE@VERSION`.
package struct VersionedName {
    /// The file, which exists.
    package let file: HostPath
    /// The text after the `@`.
    let version: [UInt8]

    /// - Returns: nil if no file has the name before the last `@`.
    package init?(_ argument: [UInt8]) {
        guard let at = argument.lastIndex(of: UInt8(ascii: "@")), at > 0 else { return nil }
        file = HostPath(Array(argument[..<at]))
        version = Array(argument[(at + 1)...])
        guard (try? FileProbe.exists(file)) == true else { return nil }
    }
}
