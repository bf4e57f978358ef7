import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

/// What turns a property list of a tree into another by its values.
enum PlistTarget {
    /// They are not both property lists, or no document can hold what turns one into the other.
    case none
    /// Both hold the same value, in other bytes.
    case sameValue
    /// The operations, and about how many bytes they take in a document.
    case operations(Overlay.Target, length: Int)

    /// Longer files are not looked into.
    private static let longest: UInt64 = 16 << 20
    /// Longer operations say no more than the bytes do.
    private static let longestOperations = 4 << 20

    /// Compares two files that differ.
    ///
    /// - Parameter isInGroups: whether paths below `AppGroups` are those of app groups.
    init(
        _ old: SideEntry, _ new: SideEntry, at path: RelativePath, isInGroups: Bool, identities: ArrayIdentities
    ) throws(CapsuleError) {
        self = .none
        guard max(old.entry.size, new.entry.size) <= Self.longest, let place = Self.place(of: path, isInGroups),
            let before = try Self.read(old, path), let after = try Self.read(new, path)
        else { return }
        if before == after {
            self = .sameValue
            return
        }
        guard var target = try? Overlay(turning: before, into: after, identities: identities).targets.first else { return }
        (target.root, target.path) = place
        guard let length = Self.length(of: target) else { return }
        self = target.operations.isEmpty ? .sameValue : .operations(target, length: length)
    }

    /// How a document names a path; nil where it can't.
    private static func place(of path: RelativePath, _ isInGroups: Bool) -> (Overlay.Root, String)? {
        // What reads as a pattern, or as a name to be expanded, says in no document which file is meant.
        guard let text = String(validating: path.bytes, as: UTF8.self), !text.utf8.contains(where: { "*?[\\$".utf8.contains($0) })
        else { return nil }
        guard isInGroups, let group = OverlayCapsuleLayout.group(of: path) else { return (.appData, text) }
        guard let root = String(validating: group, as: UTF8.self).flatMap({ Overlay.Root("AppGroup:\($0)") }) else { return nil }
        let inner = path.components.dropFirst(2).joined(separator: [UInt8(ascii: "/")])
        return (root, String(decoding: Array(inner), as: UTF8.self))
    }

    /// The value of a file, if it reads as a property list; nil if not.
    private static func read(_ side: SideEntry, _ path: RelativePath) throws(CapsuleError) -> PlistValue? {
        let content = ComparedContent(try side.open(), size: side.entry.size)
        let kind = ContentKind.candidates(try content.head(), size: content.size).first
        guard kind == .plist || kind == .json, let bytes = try content.all() else { return nil }
        guard SHA256Hasher.digest(of: bytes) == side.entry.digest else { throw OverlayCapsuleWriter.changed(path) }
        return try? PlistDocument.read(bytes).value
    }

    /// How long a document of the target is, as deep in other values as a manifest has it; nil if none can hold it.
    private static func length(of target: Overlay.Target) -> Int? {
        let document = PlistValue.dictionary([
            "Overlay": .dictionary(["Targets": .array([Overlay(targets: [target]).document])])
        ])
        let bytes = (try? XMLPlistWriter.write(document)) ?? (try? BinaryPlistWriter.write(document))
        guard let bytes, bytes.count <= longestOperations else { return nil }
        return bytes.count
    }
}
