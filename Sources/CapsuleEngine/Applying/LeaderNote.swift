import CapsuleCore
import CapsuleFileSystem

/// The file `leader` of a directory that takes part in another one's transaction: which one, and where the journal is.
struct LeaderNote: Hashable, Sendable {
    let identifier: ApplyJournal.Identifier
    /// Absolute.
    let path: HostPath

    static let maximumLength: UInt64 = 8_192
    private static let magic = Array("CAPSLDR1".utf8)

    init(identifier: ApplyJournal.Identifier, path: HostPath) {
        self.identifier = identifier
        self.path = path
    }

    /// The note for a transaction on these directories, and where they really are.
    static func make(for roots: [RootDirectory]) throws(CapsuleError) -> (note: LeaderNote, paths: [HostPath]) {
        var paths: [HostPath] = []
        for root in roots {
            guard let path = try CapsuleError.wrapping({ () throws(FileSystemError) in try RealPath.resolve(root.path) }) else {
                throw CapsuleError(.notFound, "no longer exists", path: root.path)
            }
            paths.append(path)
        }
        guard let first = paths.first else { throw CapsuleError("no directory to work in") }
        return (LeaderNote(identifier: .random(), path: first), paths)
    }

    func encoded() -> [UInt8] { Self.magic + identifier.bytes + path.bytes }

    /// - Returns: nil for what is none.
    init?(decoding bytes: [UInt8]) {
        let start = Self.magic.count + ApplyJournal.Identifier.byteCount
        guard bytes.count > start, bytes.starts(with: Self.magic), bytes[start] == UInt8(ascii: "/"),
            !bytes[start...].contains(0)
        else { return nil }
        identifier = ApplyJournal.Identifier(Array(bytes[Self.magic.count..<start]))
        path = HostPath(Array(bytes[start...]))
    }
}
