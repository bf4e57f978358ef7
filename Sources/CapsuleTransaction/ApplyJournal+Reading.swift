import CapsuleCore
import CapsuleHashing
import CapsuleSystem

extension ApplyJournal {
    /// Decodes a journal's file. The file may come from anywhere, so all paths are validated, and all places must be ones that a
    /// transaction uses.
    init?(decoding bytes: [UInt8]) {
        guard bytes.count >= ContentDigest.byteCount else { return nil }
        let body = Array(bytes.dropLast(ContentDigest.byteCount))
        let written = bytes.suffix(ContentDigest.byteCount).withUnsafeBytes { ContentDigest($0) }
        guard written == SHA256Hasher.digest(of: body) else { return nil }
        var input = JournalInput(bytes: body)
        guard input.read(Self.magic.count) == Self.magic[...], let identifier = input.read(Identifier.byteCount),
            let rootCount = input.count(), (1...Self.maximumRoots).contains(rootCount)
        else { return nil }
        self.identifier = Identifier(Array(identifier))
        roots = []
        steps = []
        for _ in 0..<rootCount {
            guard let path = input.text(), path.first == UInt8(ascii: "/"), path.count <= RelativePath.maximumLength,
                !path.contains(0)
            else { return nil }
            roots.append(HostPath(path))
        }
        input.rootCount = rootCount
        guard let stepCount = input.count() else { return nil }
        for _ in 0..<stepCount {
            guard let step = input.step() else { return nil }
            steps.append(step)
        }
        guard input.isAtEnd else { return nil }
    }
}

/// The bytes of a journal, read from front to back.
private struct JournalInput {
    let bytes: [UInt8]
    var rootCount = 0
    private var at = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { at == bytes.count }

    mutating func read(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count - at else { return nil }
        defer { at += count }
        return bytes[at..<at + count]
    }

    mutating func byte() -> UInt8? { read(1)?.first }

    mutating func number() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = byte() else { return nil }
            let part = UInt64(byte & 0x7F)
            if shift == 63, part > 1 { return nil }
            value |= part << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    /// Reads a number of items that take at least one byte each.
    mutating func count() -> Int? {
        guard let value = number(), value <= UInt64(bytes.count - at) else { return nil }
        return Int(value)
    }

    mutating func text() -> [UInt8]? {
        guard let count = count() else { return nil }
        return read(count).map { Array($0) }
    }

    mutating func bits() -> FileMode? {
        guard let value = number(), value <= 0o7777 else { return nil }
        return FileMode(value)
    }

    mutating func time() -> Timestamp? {
        guard let seconds = number(), let nanoseconds = number().flatMap({ UInt32(exactly: $0) }) else { return nil }
        return Timestamp(seconds: Int64(bitPattern: seconds), nanoseconds: nanoseconds)
    }

    mutating func root() -> Int? {
        guard let root = number(), root < UInt64(rootCount) else { return nil }
        return Int(root)
    }

    /// - Returns: nil also for a path into the staging directory itself.
    mutating func place() -> TargetPath? {
        guard let root = root(), let bytes = text() else { return nil }
        if bytes.isEmpty { return TargetPath(root: root, path: .root) }
        guard let path = try? RelativePath(validating: bytes),
            path.components.first?.elementsEqual(ContainerNames.transaction) == false
        else { return nil }
        return TargetPath(root: root, path: path)
    }

    mutating func anyPlace() -> JournalLocation? {
        switch byte() {
        case 0:
            guard let place = place(), !place.path.isRoot else { return nil }
            return .tree(place)
        case let kind? where kind <= 2:
            guard let root = root(), let number = number().flatMap({ Int(exactly: $0) }) else { return nil }
            return kind == 1 ? .new(root: root, number: number) : .old(root: root, number: number)
        default: return nil
        }
    }

    mutating func facts(of kind: EntryKind) -> JournalStep.Metadata? {
        guard let flags = byte(), flags <= 3 else { return nil }
        var facts = JournalStep.Metadata()
        if flags & 1 != 0 {
            guard let mode = bits() else { return nil }
            // A foreign journal must not be able to make a program run as its owner.
            facts.mode = kind == .directory ? mode : FileMode(mode.rawValue & 0o1777)
        }
        if flags & 2 != 0 {
            guard let time = time() else { return nil }
            facts.modified = time
        }
        guard let attributes = count() else { return nil }
        for _ in 0..<attributes {
            guard let name = name(), let value = text() else { return nil }
            facts.attributes.append(ExtendedAttribute(name: name, value: value))
        }
        guard let removed = count() else { return nil }
        for _ in 0..<removed {
            guard let name = name() else { return nil }
            facts.removed.append(name)
        }
        return facts
    }

    private mutating func name() -> [UInt8]? {
        guard let name = text(), !name.isEmpty, !name.contains(0), ExtendedAttribute.isStorable(name) else { return nil }
        return name
    }

    mutating func step() -> JournalStep? {
        switch byte() {
        case 0:
            guard let place = place(), let inode = number(), let mode = bits(), let temporary = bits(), let modified = time()
            else { return nil }
            return .open(place, inode: inode, mode: mode, temporary: temporary, modified: modified)
        case 1:
            guard let inode = number(), let isDirectory = byte(), isDirectory <= 1, let from = anyPlace(), let to = anyPlace(),
                from.root == to.root
            else { return nil }
            switch (from, to) {
            case (.tree, .old), (.new, .tree), (.old, .tree): break
            default: return nil
            }
            return .move(inode: inode, isDirectory: isDirectory == 1, from: from, to: to)
        case 2:
            guard let place = place(), let inode = number(), let kind = byte().flatMap({ EntryKind(rawValue: $0) }),
                let before = facts(of: kind), let after = facts(of: kind)
            else { return nil }
            return .setMetadata(place, inode: inode, kind: kind, before: before, after: after)
        case 3:
            guard let place = place(), !place.path.isRoot, let inode = number(),
                let spare = number().flatMap({ Int(exactly: $0) }), let spareInode = number()
            else { return nil }
            return .delete(place, inode: inode, spare: spare, spareInode: spareInode)
        default: return nil
        }
    }
}
