import CapsuleCore
import CapsuleSystem

/// The lines that Capsule writes into a git attributes file (gitattributes(5)): a block between two comments.
struct GitAttributesBlock: Hashable {
    /// The things that did not exist before the installation, and must be removed with it.
    struct CreatedFiles: Hashable {
        /// True if the attributes file itself was created.
        var isFile = false
        /// The number of directories around the file that were created.
        var directories = 0
        /// True if the end of the file's last line was added.
        var isLineEnd = false
        /// True if the configuration file was created.
        var isConfig = false
        /// The length of a configuration file whose last line had no end; nil if it had one.
        var configLength: Int?
    }

    var made = CreatedFiles()

    /// The patterns of files that the driver shows, with those that it merges.
    static let patterns = [
        "*.plist diff=capsule merge=capsule",
        "*.strings diff=capsule merge=capsule",
        "*.stringsdict diff=capsule merge=capsule",
        "*.entitlements diff=capsule merge=capsule",
        "*.xctestplan diff=capsule merge=capsule",
        "*.capsule diff=capsule",
    ]

    private static let opening = "# capsule git: begin"
    private static let closing = "# capsule git: end"

    init(made: CreatedFiles = CreatedFiles()) {
        self.made = made
    }

    /// The lines of the block, each with its end.
    var text: [UInt8] {
        var words: [String] = []
        if made.isFile { words.append("new file") }
        if made.directories > 0 { words.append("new directories: \(made.directories)") }
        if made.isLineEnd { words.append("new line end") }
        if made.isConfig { words.append("new config") }
        if let length = made.configLength { words.append("config without line end: \(length)") }
        let remark = words.isEmpty ? "" : " (\(words.joined(separator: "; ")))"
        let lines = [Self.opening + remark] + Self.patterns + [Self.closing]
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// Returns the first block in a file.
    ///
    /// - Throws: ``CapsuleError`` for a block without an end.
    static func find(in bytes: [UInt8], _ path: HostPath) throws(CapsuleError) -> (range: Range<Int>, block: GitAttributesBlock)?
    {
        var found: (start: Int, made: CreatedFiles)?
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
            var line = bytes[start..<end]
            // An editor may have changed the line ends.
            while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
            if line.starts(with: opening.utf8) {
                if found != nil { break }
                found = (start, made(in: String(decoding: line.dropFirst(opening.utf8.count), as: UTF8.self)))
            } else if let found, line.elementsEqual(closing.utf8) {
                return (found.start..<end, GitAttributesBlock(made: found.made))
            }
            start = end
        }
        guard found != nil else { return nil }
        throw CapsuleError(
            "the block that begins with '\(opening)' has no '\(closing)'", path: path,
            hint: "delete the lines that 'capsule git install' wrote")
    }

    private static func made(in remark: String) -> CreatedFiles {
        var made = CreatedFiles()
        let words = remark.drop { $0 == " " || $0 == "(" }.prefix { $0 != ")" }
        for word in words.split(separator: ";").map({ $0.drop { $0 == " " } }) {
            let number = word.split(separator: " ").last.flatMap { Int($0) } ?? -1
            switch word {
            case "new file": made.isFile = true
            case "new line end": made.isLineEnd = true
            case "new config": made.isConfig = true
            case _ where word.hasPrefix("new directories:"): made.directories = max(0, min(number, 8))
            case _ where word.hasPrefix("config without line end:") && number >= 0: made.configLength = number
            default: break
            }
        }
        return made
    }

    /// Returns the file with this block. It replaces an existing block, whose ``made`` is kept; otherwise it is added at the end.
    func installed(in bytes: [UInt8], _ path: HostPath) throws(CapsuleError) -> [UInt8] {
        if let (range, block) = try Self.find(in: bytes, path) {
            return Array(bytes[..<range.lowerBound]) + block.text + Array(bytes[range.upperBound...])
        }
        var block = self
        block.made.isLineEnd = bytes.last.map { $0 != 0x0A } ?? false
        return bytes + (block.made.isLineEnd ? [0x0A] : []) + block.text
    }

    /// Returns the file without any block, and what was created with the first one; nil if there is no block.
    static func removed(from bytes: [UInt8], _ path: HostPath) throws(CapsuleError) -> (bytes: [UInt8], made: CreatedFiles)? {
        var bytes = bytes
        var made: CreatedFiles?
        while let (range, block) = try find(in: bytes, path) {
            var range = range
            // Lines that were added after the block need the line end.
            if block.made.isLineEnd, range.upperBound == bytes.count, range.lowerBound > 0 {
                range = (range.lowerBound - 1)..<range.upperBound
            }
            bytes.removeSubrange(range)
            made = made ?? block.made
        }
        return made.map { (bytes, $0) }
    }
}

/// A text file of git's that is read and replaced completely. If its path is a link, the link stays and its target is replaced.
struct GitTextFile {
    /// The greatest size of an attributes file in bytes. Git itself reads no longer one.
    private static let longest: UInt64 = 100 << 20
    /// The greatest number of links in a chain that is followed.
    private static let linkLimit = 40

    /// The path of the file, which need not exist, after links are followed.
    let path: HostPath
    private let edited: EditedFile?

    /// Reads the file.
    ///
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

    /// The content of the file; nil if it does not exist.
    var bytes: [UInt8]? { edited?.bytes }

    /// Replaces the bytes of the file atomically. A missing file is created, with the directories around it.
    func write(_ bytes: [UInt8]) throws(CapsuleError) {
        if let edited { return try edited.replace(with: bytes) }
        let made = try CreatedDirectories(path.directory)
        let staged = try StagedFile(for: path)
        let written: Result<Void, CapsuleError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(CapsuleError) in try staged.write(bytes, at: 0) }
        }
        try written.get()
        try staged.commit(replacing: false)
        made.keep()
    }

    /// Returns the number of missing directories around the file.
    func missingDirectories() throws(CapsuleError) -> Int {
        var count = 0
        var directory = path.directory
        while try Syscall.statusIfThere(directory, following: true) == nil, directory.directory != directory {
            count += 1
            directory = directory.directory
        }
        return count
    }

    /// Deletes the file, and at most `directories` of the directories around it that are empty then.
    func remove(directories: Int) throws(CapsuleError) {
        try Syscall.removeFile(path)
        var directory = path.directory
        for _ in 0..<directories {
            guard (try? Syscall.removeDirectory(directory)) != nil else { return }
            directory = directory.directory
        }
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
