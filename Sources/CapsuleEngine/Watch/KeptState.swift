import CapsuleContainers
import CapsuleCore
import CapsuleSystem

/// The state of a live container at one moment, with a private copy of its files in memory. The copy is of limited size; files
/// that are not in it are known by their digests.
struct KeptState {
    let side: ComparedSide
    private let kept: [Int: KeptFile]

    /// The most bytes of the private copy.
    static let budget: UInt64 = 64 << 20

    /// Reads the state. What did not change since an earlier state is taken from it.
    /// - Parameter isChanged: returns true for a path whose content may have changed since the earlier state.
    init(
        of container: Container, shape: ContainerShape, after earlier: KeptState?, _ options: DiffOptions,
        budget: UInt64 = budget,
        isChanged: (RelativePath) -> Bool
    ) throws(CapsuleError) {
        var containerOptions = ContainerOptions(skipsUnreadable: true, jobs: options.jobs)
        containerOptions.shape = shape
        // Later states are taken from the earlier ones.
        containerOptions.statCache = options.usesCache && earlier == nil
        var opened = try container.open(containerOptions)
        let live = opened.contents
        var kept: [Int: KeptFile] = [:]
        var failures: [Int: CapsuleError] = [:]
        var left = budget
        var unknown: [Int] = []
        for (number, entry) in opened.entries.enumerated() where entry.kind == .file {
            guard let earlier, !isChanged(entry.path), let same = earlier.number(of: entry) else {
                unknown.append(number)
                continue
            }
            opened.entries[number].digest = earlier.side.tree.entries[same].digest
            opened.entries[number].attributes = earlier.side.tree.entries[same].attributes
            kept[number] = earlier.kept[same]
            if kept[number] != nil { left -= min(left, entry.size) }
        }
        // The smallest first, so that as many as possible are described.
        for number in unknown.sorted(by: { (opened.entries[$0].size, $0) < (opened.entries[$1].size, $1) }) {
            guard opened.entries[number].size <= left else { break }
            do throws(CapsuleError) {
                let file = try KeptFile(try live.open(opened.entries[number], number: number), limit: left)
                // The digest is that of the kept bytes, whatever the cache says.
                opened.entries[number].digest = .zero
                opened.entries[number].take(file)
                kept[number] = file
                left -= min(left, UInt64(file.bytes.count))
            } catch {
                if error.code == .interrupted { throw error }
                failures[number] = error
            }
        }
        opened.contents.edit(opened.entries, Self.origins(opened.entries, kept, live))
        let readable = opened.entries.indices.filter { failures[$0] == nil }
        failures.merge(try EntryDigester(jobs: options.jobs).complete(&opened, at: readable)) { $1 }
        opened.isDigested = true
        var side = try ComparedSide(opened, options)
        side.failures = failures
        self.side = side
        self.kept = kept
    }

    private static func origins(
        _ entries: [TreeEntry], _ kept: [Int: KeptFile], _ live: EntryContents
    ) -> [EntryContents.Origin] {
        entries.indices.map { number in
            if let file = kept[number] { return .opened { file } }
            let entry = entries[number]
            guard entry.kind == .file else { return .own(number) }
            return .opened { () throws(CapsuleError) in
                let file = try live.open(entry, number: number)
                guard try file.status().isListed(as: entry) else {
                    throw CapsuleError("the private copy of \(Quantity.bytes(budget)) is full")
                }
                return file
            }
        }
    }

    /// Returns the number of a file in this state that seems to be unchanged; nil for one that could not be read.
    private func number(of entry: TreeEntry) -> Int? {
        guard let number = side.tree.entries.index(of: entry.path, in: entry.root), side.failures[number] == nil else {
            return nil
        }
        let own = side.tree.entries[number]
        return own.kind == entry.kind && own.size == entry.size && own.modified == entry.modified ? number : nil
    }
}

extension TreeEntry {
    fileprivate mutating func take(_ file: KeptFile) {
        size = UInt64(file.bytes.count)
        modified = file.facts.modified
        mode = file.facts.mode
    }
}

/// A file as it was read at one moment.
private final class KeptFile: OpenContent {
    let bytes: [UInt8]
    let facts: ContentStatus
    private let reading: ExtendedAttributes.Reading?

    private static let tries = 3

    /// - Throws: `limit` for a file that has become longer than `limit`; `changed` for one that changes while it is read.
    init(_ file: any OpenContent, limit: UInt64) throws(CapsuleError) {
        for _ in 0..<Self.tries {
            let before = try file.status()
            guard before.size <= limit else { throw CapsuleError(.limit, "has grown while it was read") }
            let bytes = try [UInt8](reading: Int(before.size)) { (buffer) throws(CapsuleError) in
                try file.read(at: 0, into: buffer)
            }
            let reading = try file.attributes()
            guard try before.isSameState(as: file.status()), UInt64(bytes.count) == before.size else { continue }
            self.bytes = bytes
            self.reading = reading
            facts = ContentStatus(size: before.size, mode: before.mode, modified: before.modified, live: nil)
            return
        }
        throw CapsuleError(.changed, "changed while it was read")
    }

    func status() -> ContentStatus { facts }
    func attributes() -> ExtendedAttributes.Reading? { reading }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < UInt64(bytes.count) else { return 0 }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<part.count]).copyBytes(from: part)
        return part.count
    }
}
