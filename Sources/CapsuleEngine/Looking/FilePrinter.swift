import CapsuleArchive
import CapsuleCore
import CapsuleHashing

/// Writes one file's bytes to standard output.
public struct FilePrinter: Sendable {
    private let container: Container

    /// Nothing is opened yet.
    public init(_ container: Container) {
        self.container = container
    }

    /// Prints the file at a path of the tree, else of the wrapper.
    ///
    /// A capsule's index is read only where the file is. The bytes are compared with the digest as they go: a file of one
    /// member is not printed at all if it is damaged.
    ///
    /// - Parameters:
    ///   - path: as the listing has it.
    ///   - output: where the bytes go.
    ///   - refusingBinary: whether bytes that are no text end in an error, before anything is written. A text is written so that
    ///     nothing in it does anything to a terminal.
    /// - Returns: whether it is a database whose log was folded in: without it, it is not what the app last wrote.
    public func print(_ path: [UInt8], to output: StandardOutput, refusingBinary: Bool) throws(CapsuleError) -> Bool {
        let found = try find(path)
        guard found.entry.kind.hasContent else {
            throw Self.noFile(found.entry, path)
        }
        if refusingBinary { try refuseBinary(found, found.content.makeReader(), path) }
        if found.hasLog, let folded = try fold(found, path) {
            try print(folded, path, to: output, escaping: refusingBinary)
            return true
        }
        try print(found, path, to: output, escaping: refusingBinary)
        return false
    }

    private func print(
        _ found: Found, _ path: [UInt8], to output: StandardOutput, escaping: Bool
    ) throws(CapsuleError) {
        let reader = found.content.makeReader()
        var hasher = SHA256Hasher()
        var text = escaping ? TerminalText(keepsColors: false) : nil
        var isChecked = !found.isDigested
        try reader.forEachPiece(of: found.number, in: 0..<found.entry.size) { (_, length, bytes) throws(CapsuleError) in
            try CapsuleError.checkInterruption()
            guard let bytes else {
                try hasher.updateZeros(length)
                if let shown = text?.finish() { try output.write(shown) }
                try Self.writeZeros(length, to: output)
                return
            }
            hasher.update(bytes)
            if !isChecked, length == found.entry.size {
                guard hasher.finish() == found.entry.digest else { throw CapsuleError.wrongDigest(at: path) }
                isChecked = true
            }
            if let shown = text?.take(bytes) { try output.write(shown) } else { try output.write(bytes) }
        }
        if let shown = text?.finish() { try output.write(shown) }
        if !isChecked, hasher.finish() != found.entry.digest { throw .wrongDigest(at: path) }
    }

    /// A file and how to read it.
    private struct Found {
        let entry: TreeEntry
        let number: Int
        let content: any PiecewiseContent
        let isDigested: Bool
        /// Whether it has the name of a database with a log.
        let hasLog: Bool
    }

    /// A database with the content of its log; nil for what is no database, or has an empty log.
    private func fold(_ found: Found, _ path: [UInt8]) throws(CapsuleError) -> Found? {
        guard found.content.isDatabase(found.entry, number: found.number) else { return nil }
        let opened = try container.openLeniently()
        guard let number = opened.entries.place(of: found.entry.path, in: found.entry.root) else { return nil }
        var included = [Bool](repeating: false, count: opened.entries.count)
        included[number] = true
        for companion in try PathSelection.companions(of: included, in: opened) { included[companion] = true }
        var unit = opened.selecting((0..<UInt32(included.count)).filter { included[Int($0)] })
        let outcome = try LogFolding(jobs: 1, isStrict: false, allowsChanging: false).fold(&unit)
        if let unfolded = outcome.unfolded.first {
            throw CapsuleError(
                "can't be checkpointed: \(unfolded.reason)", path: HostPath(path),
                hint: "'capsule unpack' writes the database and its log unchanged")
        }
        guard outcome.databases > 0, let number = unit.entries.place(of: found.entry.path, in: found.entry.root) else {
            return nil
        }
        return Found(
            entry: unit.entries[number], number: number, content: unit.piecewiseContent, isDigested: false, hasLog: false)
    }

    private func find(_ path: [UInt8]) throws(CapsuleError) -> Found {
        let relative = try PathSelection.parse(path)
        if case .capsule(let capsule, let selector) = try container.resolve(),
            let found = try find(relative, in: capsule, selector)
        {
            return found
        }
        let opened = try container.openLeniently()
        let number = try Self.number(of: path, in: opened)
        let entry = opened.entries[number]
        return Found(
            entry: entry, number: number, content: opened.piecewiseContent, isDigested: opened.isDigested,
            hasLog: Self.logs(of: entry.path).contains { opened.entries.place(of: $0, in: entry.root) != nil })
    }

    /// The one entry that a path or a pattern names; of several the one that is a file.
    private static func number(of path: [UInt8], in opened: OpenedContainer) throws(CapsuleError) -> Int {
        let places = try NamedPlaces.find(path, in: opened)
        var numbers = opened.entries.indices.filter { number in
            let entry = opened.entries[number]
            return places.contains { $0.path == entry.path && $0.roots.contains(entry.root) }
        }
        if numbers.count > 1, NamedPlaces.isPattern(path) {
            let files = numbers.filter { opened.entries[$0].kind == .file }
            guard files.count == 1 else {
                let names = files.prefix(3).map { "\(opened.entries[$0].path)" }.joined(separator: ", ")
                throw CapsuleError(
                    .usage, "matches \(numbers.count) entries, and 'cat' prints one file", path: HostPath(path),
                    hint: names.isEmpty ? nil : "some are: \(names)")
            }
            numbers = files
        }
        guard let number = numbers.first else { throw NamedPlaces.missing(path, in: opened) }
        return number
    }

    private func find(
        _ relative: RelativePath, in capsule: CapsuleReader, _ selector: VersionSelector
    ) throws(CapsuleError) -> Found? {
        do throws(ArchiveError) {
            let footer = try capsule.footer(of: selector)
            let root = try capsule.root(of: footer)
            var parts = [TreeRoot.tree, .wrapper]
            if relative.bytes.starts(with: ContainerShape.appGroups) {
                parts += try capsule.manifest(of: footer).groups.indices.compactMap { TreeRoot.group($0) }
            }
            for part in parts {
                guard let (block, place) = try capsule.find(relative, in: part, of: root) else { continue }
                var extents = ExtentTable(entries: block.entries.count)
                extents.append(block)
                let content = CapsuleContent(capsule, extents)
                var hasLog = false
                for log in Self.logs(of: relative) where !hasLog { hasLog = try capsule.find(log, in: part, of: root) != nil }
                return Found(
                    entry: block.entries[place], number: place, content: content, isDigested: true, hasLog: hasLog)
            }
        } catch {
            throw StoredVersion.error(error, reading: selector, of: capsule)
        }
        return nil
    }

    /// Where the logs of a database would be.
    private static func logs(of path: RelativePath) -> [RelativePath] {
        DatabaseUnit.logSuffixes.compactMap { try? RelativePath(validating: path.bytes + $0) }
    }

    /// Text has no NUL in its first bytes, and is UTF-8.
    private func refuseBinary(_ found: Found, _ reader: any ContentReader, _ path: [UInt8]) throws(CapsuleError) {
        var start: [UInt8] = []
        let length = min(found.entry.size, Self.probedLength)
        try reader.forEachPiece(of: found.number, in: 0..<length) { (_, length, bytes) throws(CapsuleError) in
            if let bytes { start += bytes } else { start += [UInt8](repeating: 0, count: Int(length)) }
        }
        let isCut = length < found.entry.size
        // The cut may have split a character: it counts as text if up to three bytes less are.
        let isText = (0...(isCut ? 3 : 0)).contains { String(validating: start.dropLast($0), as: UTF8.self) != nil }
        guard isText, !start.contains(0) else {
            throw CapsuleError(
                "refusing to write binary data to a terminal", path: HostPath(path), hint: "redirect it to a file or a pipe")
        }
    }

    private static func noFile(_ entry: TreeEntry, _ path: [UInt8]) -> CapsuleError {
        if entry.kind == .link {
            return CapsuleError("is a symbolic link to \(String(decoding: entry.target, as: UTF8.self))", path: HostPath(path))
        }
        return CapsuleError("is a \(entry.kind.word)", path: HostPath(path), hint: "'capsule ls' lists its entries")
    }

    private static let probedLength: UInt64 = 65_536
    private static let zeros = [UInt8](repeating: 0, count: 1 << 16)

    private static func writeZeros(_ length: UInt64, to output: StandardOutput) throws(CapsuleError) {
        var rest = length
        while rest > 0 {
            let count = Int(min(rest, UInt64(zeros.count)))
            try output.write(Array(zeros.prefix(count)))
            rest -= UInt64(count)
        }
    }
}
