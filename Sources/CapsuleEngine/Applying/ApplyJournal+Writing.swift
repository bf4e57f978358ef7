import CapsuleCore
import CapsuleHashing

/// How a journal is written down: "CAPSTXN1", the identifier, the roots' paths, the steps, and the SHA-256 of all that.
///
/// Numbers are LEB128, paths and values have their length before them, a tree's own directory is the empty path.
extension ApplyJournal {
    static let magic = Array("CAPSTXN1".utf8)
    /// Longer ones are not read: some millions of steps.
    static let maximumLength: UInt64 = 256 << 20
    static let maximumRoots = 256

    /// The bytes of the journal's file.
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

/// Bytes of a journal that grow.
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

    mutating func place(_ place: ApplyPlan.Place) {
        number(UInt64(place.root))
        text(place.path.bytes)
    }

    mutating func place(_ place: JournalPlace) {
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

    mutating func facts(_ facts: JournalStep.Facts) {
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
        case .settle(let place, let inode, let kind, let before, let after):
            bytes.append(2)
            self.place(place)
            number(inode)
            bytes.append(kind.rawValue)
            facts(before)
            facts(after)
        }
    }
}
