import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// The complete list of what a transaction is about to do, written before it begins. It is enough to finish or to undo the
/// transaction after a crash.
struct ApplyJournal: Hashable, Sendable {
    /// An identifier that distinguishes a transaction from all others: 16 random bytes.
    struct Identifier: Hashable, Sendable {
        static let byteCount = 16
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        static func random() -> Identifier {
            Identifier((0..<byteCount).map { _ in UInt8.random(in: 0...255) })
        }
    }

    var identifier: Identifier
    /// The absolute paths of the directories. The first one has the journal.
    var roots: [HostPath]
    var steps: [JournalStep]

    var spares: [TargetPath: UInt64] {
        var spares: [TargetPath: UInt64] = [:]
        for case .delete(let place, _, _, let inode) in steps { spares[place] = inode }
        return spares
    }

    var inTransit: Set<JournalLocation> {
        var places: Set<JournalLocation> = []
        for case .move(_, _, let from, _) in steps {
            if case .old = from { places.insert(from) }
        }
        return places
    }
}

/// A place where an entry can be while a transaction runs.
enum JournalLocation: Hashable, Sendable {
    case tree(TargetPath)
    /// `new/N` in a root's staging directory: a new entry.
    case new(root: Int, number: Int)
    /// `old/N` in a root's staging directory: a removed entry.
    case old(root: Int, number: Int)

    var root: Int {
        switch self {
        case .tree(let place): place.root
        case .new(let root, _), .old(let root, _): root
        }
    }
}

/// One step of a transaction, described so that it can be done and undone repeatedly. Names and inode numbers alone show whether it
/// is done.
enum JournalStep: Hashable, Sendable {
    /// The metadata of an entry. What is nil, or not named, stays unchanged.
    struct Metadata: Hashable, Sendable {
        var mode: FileMode?
        var modified: Timestamp?
        var attributes: [ExtendedAttribute] = []
        var removed: [[UInt8]] = []
    }

    /// Opens up an existing directory in which something changes. Undoing this restores the directory's mode and time.
    case open(TargetPath, inode: UInt64, mode: FileMode, temporary: FileMode, modified: Timestamp)
    /// Moves an entry. Out of the tree, it goes to ``JournalLocation/old(root:number:)``; into the tree, it never replaces another
    /// entry. A directory is empty when it is moved.
    case move(inode: UInt64, isDirectory: Bool, from: JournalLocation, to: JournalLocation)
    /// Deletes a directory, which is empty by then. Undoing this moves the spare directory, `new/N` of its staging directory, into
    /// its place. This is for file systems that can't rename every directory (``SpareDirectories``).
    case delete(TargetPath, inode: UInt64, spare: Int, spareInode: UInt64)
    /// Gives an entry in its place its new metadata. Undoing this restores the old metadata.
    case setMetadata(TargetPath, inode: UInt64, kind: EntryKind, before: Metadata, after: Metadata)
}

/// The encoding of a journal: "CAPSTXN1", the identifier, the roots' paths, the steps, and the SHA-256 of all that.
/// Numbers are LEB128. Paths and values are preceded by their lengths. A tree's own directory is the empty path.
extension ApplyJournal {
    static let magic = Array("CAPSTXN1".utf8)
    /// The size in bytes of the longest journal that is read: some millions of steps.
    static let maximumLength: UInt64 = 256 << 20
    static let maximumRoots = 256

    func encoded() -> [UInt8] {
        var output = JournalBytes()
        output.bytes = Self.magic + identifier.bytes
        output.number(UInt64(roots.count))
        for root in roots { output.text(root.bytes) }
        output.number(UInt64(steps.count))
        for step in steps { output.append(step) }
        SHA256Hasher.digest(of: output.bytes).withBytes { output.bytes.append(contentsOf: $0) }
        return output.bytes
    }
}

/// The bytes of a journal that is being encoded.
private struct JournalBytes {
    var bytes: [UInt8] = []

    mutating func number(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func text(_ text: [UInt8]) {
        number(UInt64(text.count))
        bytes += text
    }

    mutating func time(_ time: Timestamp) {
        number(UInt64(bitPattern: time.seconds))
        number(UInt64(time.nanoseconds))
    }

    mutating func place(_ place: TargetPath) {
        number(UInt64(place.root))
        text(place.path.bytes)
    }

    mutating func place(_ place: JournalLocation) {
        switch place {
        case .tree(let place):
            bytes.append(0)
            self.place(place)
        case .new(let root, let number):
            bytes.append(1)
            self.number(UInt64(root))
            self.number(UInt64(number))
        case .old(let root, let number):
            bytes.append(2)
            self.number(UInt64(root))
            self.number(UInt64(number))
        }
    }

    mutating func facts(_ facts: JournalStep.Metadata) {
        bytes.append((facts.mode == nil ? 0 : 1) | (facts.modified == nil ? 0 : 2))
        if let mode = facts.mode { number(UInt64(mode.rawValue)) }
        if let modified = facts.modified { time(modified) }
        number(UInt64(facts.attributes.count))
        for attribute in facts.attributes {
            text(attribute.name)
            text(attribute.value)
        }
        number(UInt64(facts.removed.count))
        for name in facts.removed { text(name) }
    }

    mutating func append(_ step: JournalStep) {
        switch step {
        case .open(let place, let inode, let mode, let temporary, let modified):
            bytes.append(0)
            self.place(place)
            number(inode)
            number(UInt64(mode.rawValue))
            number(UInt64(temporary.rawValue))
            time(modified)
        case .move(let inode, let isDirectory, let from, let to):
            bytes.append(1)
            number(inode)
            bytes.append(isDirectory ? 1 : 0)
            place(from)
            place(to)
        case .delete(let place, let inode, let spare, let spareInode):
            bytes.append(3)
            self.place(place)
            number(inode)
            number(UInt64(spare))
            number(spareInode)
        case .setMetadata(let place, let inode, let kind, let before, let after):
            bytes.append(2)
            self.place(place)
            number(inode)
            bytes.append(kind.rawValue)
            facts(before)
            facts(after)
        }
    }
}
