import CapsuleCore
import CapsuleOverlay
import CapsulePropertyList
import CapsuleRules
import TestSupport
import Testing

/// Records with the bytes that they carry, as an overlay capsule would have them.
struct RecordedChange {
    var records: [FileRecord]
    var contents: [ContentDigest: [UInt8]]

    /// Creates the change that turns one tree into another. Some changed files are recipes.
    init(_ old: TreeModel, _ new: TreeModel, _ random: inout SeededGenerator) throws {
        records = try FileRecordSet(turning: old.side, into: new.side).records
        contents = [:]
        for number in records.indices {
            let path = records[number].path
            let (before, after) = (old.nodes[path]?.bytes ?? [], new.nodes[path]?.bytes ?? [])
            let isBoth = records[number].old?.kind == .file && records[number].new?.kind == .file
            let new = carry(after, copying: before, isBoth && random.isLucky(oneIn: 2), &random)
            let old = carry(before, copying: after, isBoth && random.isLucky(oneIn: 2), &random)
            records[number].new?.content?.recipe = new
            records[number].old?.content?.recipe = old
        }
        _ = try FileRecordSet(records)
    }

    /// Creates the composition of two changes, with the contents that must be assembled.
    init(_ first: RecordedChange, _ second: RecordedChange) throws {
        let one = Overlay(targets: [], files: first.records)
        let composition = try one.composition(with: Overlay(targets: [], files: second.records))
        records = composition.overlay.files
        contents = first.contents.merging(second.contents) { one, _ in one }
        for content in composition.contents {
            guard let number = records.firstIndex(where: { $0.path == content.path }) else {
                throw TreeModel.Refusal(description: "\(content.path) has a content and no record")
            }
            var bytes: [UInt8] = []
            for part in content.content.carried {
                guard case .carried(let digest, let size) = part.source, let blob = contents[digest], blob.count == size else {
                    throw TreeModel.Refusal(description: "\(content.path) needs what neither carries")
                }
                bytes += blob[Int(part.range.lowerBound)..<Int(part.range.upperBound)]
            }
            let digest = TreeModel.digest(of: bytes)
            contents[digest] = bytes
            guard !content.content.isWhole else { continue }
            if content.isNew {
                records[number].new?.content?.recipe?.carried = digest
            } else {
                records[number].old?.content?.recipe?.carried = digest
            }
        }
        _ = try FileRecordSet(records)
    }

    var inverted: RecordedChange {
        var inverse = self
        inverse.records = records.map(\.inverted)
        return inverse
    }

    private mutating func carry(
        _ bytes: [UInt8], copying other: [UInt8], _ isRecipe: Bool, _ random: inout SeededGenerator
    ) -> ContentRecipe? {
        guard isRecipe else {
            contents[TreeModel.digest(of: bytes)] = bytes
            return nil
        }
        var pieces: [ContentRecipe.Piece] = []
        var carried: [UInt8] = []
        var place = 0
        while place < bytes.count {
            let length = min(random.number(1...4), bytes.count - place)
            let wanted = bytes[place..<place + length]
            let found = other.indices.filter { other[$0...].starts(with: wanted) }
            if let offset = found.randomElement(using: &random) {
                pieces.append(.copied(offset: UInt64(offset), length: UInt64(length)))
            } else {
                pieces.append(.carried(length: UInt64(length)))
                carried += wanted
            }
            place += length
        }
        let digest = TreeModel.digest(of: carried)
        contents[digest] = carried
        return ContentRecipe(pieces: pieces, carried: digest)
    }
}

/// Returns a comparison with these entries.
func comparison(_ entries: EntryChange..., isComplete: Bool = true) -> ContainerDiff {
    ContainerDiff(old: .init(source: [1]), new: .init(source: [2]), entries: entries, isComplete: isComplete)
}

/// Returns the change of an entry, which is a file on each side that has it.
func entry(_ kind: EntryChange.Kind, _ path: String, _ details: ChangeDetail...) throws -> EntryChange {
    try entry(kind, path, details)
}

func entry(_ kind: EntryChange.Kind, _ path: String, _ details: [ChangeDetail]) throws -> EntryChange {
    let path = try relativePath(path)
    let file = TreeEntry(path: path, kind: .file, mode: FileMode(0o644), modified: Timestamp(seconds: 0))
    return EntryChange(
        kind, at: path, old: kind == .added ? nil : file, new: kind == .deleted ? nil : file, handler: "plist", details: details)
}

func relativePath(_ path: String) throws -> RelativePath { try RelativePath(validating: Array(path.utf8)) }

func value(_ pointer: String, _ kind: PlistChange.Kind) throws -> ChangeDetail {
    ChangeDetail(.value(PlistChange(kind, at: try PlistPointer(pointer))))
}

func value(_ pointer: String, _ old: PlistValue, _ new: PlistValue) throws -> ChangeDetail {
    try value(pointer, .modified(old: old, new: new))
}

/// Returns a row of `ZNOTE`, entity `Note`, with the primary key `Z_PK`.
func row(
    _ operation: ChangeOperation, table: String = "ZNOTE", key: PlistValue = 12, _ columns: RowChange.Column...
) -> ChangeDetail {
    ChangeDetail(
        .row(
            RowChange(
                operation, table: table, entity: table == "ZNOTE" ? "Note" : nil, key: [.init("Z_PK", .value(key))],
                columns: columns)))
}

func column(_ name: String, _ old: PlistValue?, _ new: PlistValue?, attribute: String? = nil) -> RowChange.Column {
    RowChange.Column(name, attribute: attribute, old: old.map { .value($0) }, new: new.map { .value($0) })
}

let textDetail = ChangeDetail(.text(TextChange(encoding: "utf-8", added: 1, deleted: 0, hunkCount: 1, hunks: [])))
let bytesDetail = ChangeDetail(.bytes(BytesChange(oldSize: 1, newSize: 2, first: 0, equal: nil)))
let limitDetail = ChangeDetail(.limit(Truncation("rows")))

/// Two property lists, and the lines that describe the changes from one to the other.
struct ComparisonCase: CustomTestStringConvertible {
    let name: String
    let old: PlistValue
    let new: PlistValue
    let lines: [String]

    init(_ name: String, _ old: PlistValue, _ new: PlistValue, _ lines: [String]) {
        (self.name, self.old, self.new, self.lines) = (name, old, new, lines)
    }

    var testDescription: String { name }
}

extension FileRecordSet {
    /// Creates the records of all entries that differ between two trees, without recipes.
    init(turning old: TreeSide, into new: TreeSide) throws(OverlayError) {
        var options = TreeDiff.Options()
        options.renames = false
        try self.init(
            TreeDiff(old, new, options).items.compactMap { item in
                let (before, after) = (item.old.map { old.entries[$0] }, item.new.map { new.entries[$0] })
                guard let path = (after ?? before)?.path else { return nil }
                return FileRecord(path: path, old: before.map { FileState($0) }, new: after.map { FileState($0) })
            })
    }
}

extension FileState {
    init(_ entry: TreeEntry) {
        self.init(
            kind: entry.kind, mode: entry.kind == .link ? nil : entry.mode, modified: entry.modified,
            attributes: entry.attributes, target: entry.target,
            content: entry.kind.hasContent ? Content(size: entry.size, digest: entry.digest) : nil)
    }
}

extension Overlay {
    init(reading bytes: [UInt8], isDeep: Bool = false) throws(OverlayError) {
        let document: PlistDocument
        do throws(PlistError) {
            document = try PlistDocument.read(bytes)
        } catch {
            throw OverlayError(error)
        }
        try self.init(document.value, format: document.format, isDeep: isDeep)
    }

    /// Returns an overlay for both in sequence. Contents that must be assembled are not carried.
    func composed(with next: Overlay) throws(OverlayError) -> Overlay { try composition(with: next).overlay }
}
