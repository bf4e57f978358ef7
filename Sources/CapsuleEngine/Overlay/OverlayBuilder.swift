import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleOverlay
import CapsulePropertyList
import CapsuleSystem

/// Makes an overlay from the states of two trees at some paths: records for changed files, with their bytes, and operations for
/// property lists.
struct OverlayBuilder {
    struct Options: Sendable {
        /// True to change property lists only by their values, and leave their bytes out.
        var isByValue = false
        /// True to leave out what only undoing the overlay needs.
        var isOneWay = false
        /// True to carry changed files completely, without recipes.
        var carriesWhole = false
        /// True to change property lists only by their bytes, without operations.
        var isByBytes = false
        var arrays: [ArrayIdentities.Rule] = []
        var jobs = 1
    }

    private struct Item {
        let path: RelativePath
        let old: SideEntry?
        let new: SideEntry?
    }

    /// The parts of the overlay for one path.
    fileprivate struct BuiltRecord: Sendable {
        var record: FileRecord?
        var target: (value: Overlay.Target, length: Int)?
        var contents: [SourcePayload.Content] = []
    }

    private let origin: OverlayPackage.Origin?
    private let options: Options
    private var items: [Item] = []

    /// The greatest length in bytes of all operations together, as documents, because a manifest must hold them.
    private static let longestOperations = 24 << 20

    init(origin: OverlayPackage.Origin?, options: Options = Options()) {
        self.origin = origin
        self.options = options
    }

    /// Adds a path, which may be added only once. If both sides are the same, or neither exists, the record is a guard: it
    /// requires this state, or that nothing exists.
    mutating func add(_ path: RelativePath, from old: SideEntry?, to new: SideEntry?) {
        items.append(Item(path: path, old: old, new: new))
    }

    /// Contents are read at their source: now to compare them, and later to carry them.
    func package() throws(CapsuleError) -> OverlayPackage {
        let items = items.sorted { $0.path < $1.path }
        let isInGroups = origin?.layout != .directory
        let identities = ArrayIdentities(options.arrays)
        // The largest files come first, so that the others are processed beside them.
        let order = items.indices.sorted { Self.length(of: items[$0]) > Self.length(of: items[$1]) }
        let made = try ParallelMap.run(order.count, threads: options.jobs) {
            [options] (number) throws(CapsuleError) -> (Int, BuiltRecord) in
            try CapsuleError.checkInterruption()
            let item = items[order[number]]
            return (order[number], try Self.make(item, options, identities, isInGroups: isInGroups))
        }
        var overlay = Overlay(arrays: options.arrays, targets: [])
        var contents: [SourcePayload.Content] = []
        var length = 0
        for (number, var own) in made.sorted(by: { $0.0 < $1.0 }) {
            if let target = own.target {
                length += target.length
                if length <= Self.longestOperations {
                    overlay.targets.append(target.value)
                } else if options.isByValue {
                    // The operations are too long, so the record with the bytes is used instead.
                    own = try Self.bytes(of: items[number], options)
                }
            }
            if let record = own.record { overlay.files.append(record) }
            contents += own.contents
        }
        return OverlayPackage(overlay: overlay, contents: contents.isEmpty ? nil : SourcePayload(contents), origin: origin)
    }

    private static func length(of item: Item) -> UInt64 {
        guard let old = item.old, let new = item.new, old.isOtherContent(than: new) else { return 0 }
        return new.entry.size
    }

    private static func make(
        _ item: Item, _ options: Options, _ identities: ArrayIdentities, isInGroups: Bool
    ) throws(CapsuleError) -> BuiltRecord {
        guard !options.isByBytes, let old = item.old, let new = item.new, old.isOtherContent(than: new) else {
            return try bytes(of: item, options)
        }
        let target = try PlistTarget(old, new, at: item.path, isInGroups: isInGroups, identities: identities)
        var made: BuiltRecord
        switch target {
        case .none:
            return try bytes(of: item, options)
        case .sameValue:
            made = options.isByValue ? values(of: item.path, old, new) : try bytes(of: item, options)
        case .operations(let value, let length):
            made = options.isByValue ? values(of: item.path, old, new) : try bytes(of: item, options)
            made.target = (value, length)
        }
        return made
    }

    /// Returns a record if the mode or attributes of a property list change, without its content. The values are changed by
    /// operations.
    private static func values(of path: RelativePath, _ old: SideEntry, _ new: SideEntry) -> BuiltRecord {
        var (before, after) = (old.state, new.state)
        before.content = nil
        after.content = nil
        unless(known: &before, &after)
        if before.isSame(as: after) { return BuiltRecord() }
        return BuiltRecord(record: FileRecord(path: path, old: before, new: after))
    }

    /// Removes facts that are known for only one side, because they can't be compared.
    private static func unless(known old: inout FileState, _ new: inout FileState) {
        if old.mode == nil || new.mode == nil { (old.mode, new.mode) = (nil, nil) }
        if old.attributes == nil || new.attributes == nil { (old.attributes, new.attributes) = (nil, nil) }
    }

    private static func bytes(of item: Item, _ options: Options) throws(CapsuleError) -> BuiltRecord {
        var made = BuiltRecord()
        var record = FileRecord(path: item.path, old: item.old?.state, new: item.new?.state)
        guard let old = item.old, let new = item.new else {
            if let new = item.new { made.carry(new) }
            if let old = item.old, !options.isOneWay { made.carry(old) }
            made.record = record
            return made
        }
        if old.entry.isSame(as: new.entry) {
            // In a guard both states are equal, including facts that only one side knows.
            record.new = record.old
        } else if old.isOtherContent(than: new) {
            let pair =
                options.carriesWhole
                ? nil : try RecipePair(old, new, at: item.path, needsOld: !options.isOneWay)
            record.new?.content?.recipe = pair?.new?.recipe
            record.old?.content?.recipe = pair?.old?.recipe
            if let side = pair?.new { made.carry(side, of: new) } else { made.carry(new) }
            if let side = pair?.old { made.carry(side, of: old) } else if !options.isOneWay { made.carry(old) }
        } else if old.entry.kind != .file || new.entry.kind != .file {
            made.carry(new)
            if !options.isOneWay { made.carry(old) }
        }
        made.record = record
        return made
    }
}

extension OverlayBuilder.BuiltRecord {
    fileprivate mutating func carry(_ side: SideEntry) {
        guard side.entry.kind == .file, side.entry.size > 0 else { return }
        contents.append(SourcePayload.Content(digest: side.entry.digest, size: side.entry.size, open: side.open))
    }

    fileprivate mutating func carry(_ recipe: RecipePair.Side, of side: SideEntry) {
        guard let size = recipe.recipe.carriedSize, size > 0 else { return }
        contents.append(
            SourcePayload.Content(digest: recipe.recipe.carried, size: size) { () throws(CapsuleError) in
                RecipeContent(stretches: recipe.stretches, of: try side.open())
            })
    }
}

/// The state of one of two trees at a path.
struct SideEntry: Sendable {
    /// The entry with its digest and attributes. Its path and root are not used.
    var entry: TreeEntry
    /// Opens the content. It may be called on any thread, and is not called for an entry without content.
    var open: @Sendable () throws(CapsuleError) -> any OpenContent

    /// The state as a record stores it, without a recipe for the content.
    var state: FileState {
        FileState(
            kind: entry.kind, mode: entry.knownMode, modified: entry.modified,
            attributes: entry.kind == .link ? nil : entry.knownAttributes, target: entry.target,
            content: entry.kind == .file ? FileState.Content(size: entry.size, digest: entry.digest) : nil)
    }

    func isOtherContent(than other: SideEntry) -> Bool {
        entry.kind == .file && other.entry.kind == .file && !entry.hasContent(of: other.entry)
    }
}

/// The operations that turn a property list of a tree into another one.
enum PlistTarget {
    /// Not both files are property lists, or a document can't hold the operations.
    case none
    /// Both files have the same value, with different bytes.
    case sameValue
    /// The operations, and their approximate length in a document, in bytes.
    case operations(Overlay.Target, length: Int)

    /// The greatest size of a file that is compared by values, in bytes.
    private static let longest: UInt64 = 16 << 20
    /// The greatest length of the operations, in bytes. Longer ones are no better than the bytes of the file.
    private static let longestOperations = 4 << 20

    /// - Parameter isInGroups: true if paths below `AppGroups` are those of app groups.
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

    /// Returns the root and path that a document uses for a path; nil if a document can't name it.
    private static func place(of path: RelativePath, _ isInGroups: Bool) -> (Overlay.Root, String)? {
        // A path that reads as a pattern, or with a name to expand, would not name exactly this file in a document.
        guard let text = String(validating: path.bytes, as: UTF8.self), !text.utf8.contains(where: { "*?[\\$".utf8.contains($0) })
        else { return nil }
        guard isInGroups, let group = OverlayCapsuleLayout.group(of: path) else { return (.appData, text) }
        guard let root = String(validating: group, as: UTF8.self).flatMap({ Overlay.Root("AppGroup:\($0)") }) else { return nil }
        let inner = path.components.dropFirst(2).joined(separator: [UInt8(ascii: "/")])
        return (root, String(decoding: Array(inner), as: UTF8.self))
    }

    private static func read(_ side: SideEntry, _ path: RelativePath) throws(CapsuleError) -> PlistValue? {
        let content = ComparedContent(try side.open(), size: side.entry.size)
        guard try ContentFormats.candidates(content).first?.isPropertyList == true, let bytes = try content.all() else {
            return nil
        }
        guard SHA256Hasher.digest(of: bytes) == side.entry.digest else { throw OverlayCapsuleWriter.changed(path) }
        return try? PlistDocument.read(bytes).value
    }

    /// Returns the length of the target's document in bytes, nested as deeply as in a manifest; nil if it is too long or can't be
    /// written.
    private static func length(of target: Overlay.Target) -> Int? {
        let document = PlistValue.dictionary([
            "Overlay": .dictionary(["Targets": .array([Overlay(targets: [target]).document])])
        ])
        let bytes = (try? XMLPlistWriter.write(document)) ?? (try? BinaryPlistWriter.write(document))
        guard let bytes, bytes.count <= longestOperations else { return nil }
        return bytes.count
    }
}
