import CapsuleCore
import CapsuleFileSystem

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

    /// The `:` after the bundle identifier in `sim:[DEVICE/]BUNDLE-ID:PATH`. The name of a device may have a `:`, too, so what
    /// precedes it must look like a bundle identifier.
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
    /// What follows the `@`.
    let version: [UInt8]

    /// - Returns: nil if no file has the name before the last `@`.
    init?(_ argument: [UInt8]) {
        guard let at = argument.lastIndex(of: UInt8(ascii: "@")), at > 0 else { return nil }
        file = HostPath(Array(argument[..<at]))
        version = Array(argument[(at + 1)...])
        guard (try? FileProbe.exists(file)) == true else { return nil }
    }
}
