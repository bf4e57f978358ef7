import CapsuleArchive
import CapsuleCore
import CapsuleSystem

/// The lines that Capsule writes into a git attributes file (gitattributes(5)): a block between two comments.
enum GitAttributesBlock {
    /// The patterns of files that the driver shows, with those that it merges.
    private static let patterns = [
        "*.plist diff=capsule merge=capsule",
        "*.strings diff=capsule merge=capsule",
        "*.stringsdict diff=capsule merge=capsule",
        "*.xcstrings diff=capsule merge=capsule",
        "*.entitlements diff=capsule merge=capsule",
        "*.xctestplan diff=capsule merge=capsule",
        "*.capsule diff=capsule",
    ]

    private static let opening = "# capsule git: begin"
    private static let closing = "# capsule git: end"
    static let text = Array((([opening] + patterns + [closing]).joined(separator: "\n") + "\n").utf8)

    static func find(in bytes: [UInt8], _ path: HostPath) throws(CapsuleError) -> Range<Int>? {
        var found: Int?
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
            var line = bytes[start..<end]
            // An editor may have changed the line ends.
            while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
            if line.starts(with: opening.utf8) {
                if found != nil { break }
                found = start
            } else if let found, line.elementsEqual(closing.utf8) {
                return found..<end
            }
            start = end
        }
        guard found != nil else { return nil }
        throw CapsuleError(
            "the block that begins with '\(opening)' has no '\(closing)'", path: path,
            hint: "delete the lines that 'capsule git install' wrote")
    }

    /// Returns the file with the block. It replaces an existing block; otherwise it is added at the end.
    static func installed(in bytes: [UInt8], _ path: HostPath) throws(CapsuleError) -> [UInt8] {
        if let range = try find(in: bytes, path) { return bytes[..<range.lowerBound] + text + bytes[range.upperBound...] }
        return bytes + (bytes.isEmpty || bytes.last == 0x0A ? [] : [0x0A]) + text
    }

    static func removed(from bytes: [UInt8], _ path: HostPath) throws(CapsuleError) -> [UInt8]? {
        var rest = bytes
        while let range = try find(in: rest, path) { rest.removeSubrange(range) }
        return rest.count == bytes.count ? nil : rest
    }
}

/// A text file of git's that is read and replaced completely. If its path is a link, the link stays and its target is replaced.
struct GitTextFile {
    /// The greatest size of an attributes file in bytes. Git itself reads no longer one.
    private static let longest: UInt64 = 100 << 20
    private static let linkLimit = 40

    /// The path of the file, which need not exist, after links are followed.
    let path: HostPath
    private let edited: EditedFile?

    /// - Parameter isEdited: true if it is to be written; it stays locked until then.
    init(_ path: HostPath, isEdited: Bool = false) throws(CapsuleError) {
        var edited: EditedFile?
        var place = path
        do throws(CapsuleError) {
            place = try Self.behindLinks(path)
            edited = try EditedFile(place, limit: Self.longest, locks: isEdited)
        } catch {
            guard error.code == .notFound else { throw error }
        }
        self.path = edited?.path ?? place
        self.edited = edited
    }

    var bytes: [UInt8]? { edited?.bytes }

    /// Replaces the bytes of the file atomically. A missing file is created, with the directories around it.
    func write(_ bytes: [UInt8]) throws(CapsuleError) {
        if let edited { return try edited.replace(with: bytes) }
        let made = try CreatedDirectories(path.directory)
        let staged = try StagedFile(for: path)
        try bytes.withRawBytes { (bytes) throws(CapsuleError) in try staged.write(bytes, at: 0) }
        try staged.commit(replacing: false)
        made.keep()
    }

    /// Returns the path after links are followed. It need not exist.
    private static func behindLinks(_ path: HostPath) throws(CapsuleError) -> HostPath {
        var path = path
        for _ in 0..<linkLimit {
            guard let status = try Syscall.statusIfThere(path), status.kind == .link else { return path }
            // A link that another user made would decide which of this user's files is written.
            guard ForeignAccess.isTrusted(status.owner), ForeignAccess.decidesNothing(in: path.directory) else {
                throw CapsuleError.foreignLink(path)
            }
            let target = try Syscall.linkTarget(path)
            path = target.first == UInt8(ascii: "/") ? HostPath(target) : path.directory.appending(target)
        }
        return path
    }
}
