import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

/// Makes an overlay of what two trees have at their paths: records of what becomes of files, with the bytes, and operations for
/// property lists.
struct OverlayBuilder {
    /// What the overlay is to have.
    struct Options: Sendable {
        /// Whether property lists are changed by their values alone, and their bytes left out.
        var isByValue = false
        /// Whether what is needed for the way back is left out.
        var isOneWay = false
        /// Whether no recipes are made: a changed file is carried whole.
        var carriesWhole = false
        /// How elements of arrays pair, before the built-in rules.
        var arrays: [ArrayIdentities.Rule] = []
        /// How many threads read and compare.
        var jobs = 1

        init() {}
    }

    private struct Item {
        let path: RelativePath
        let old: SideEntry?
        let new: SideEntry?
    }

    /// What came of one path.
    fileprivate struct Made: Sendable {
        var record: FileRecord?
        var target: (value: Overlay.Target, length: Int)?
        var contents: [BuiltContents.Content] = []
    }

    private let origin: OverlayPackage.Origin?
    private let options: Options
    private var items: [Item] = []

    /// All operations of an overlay together, as documents, in bytes: a manifest has to hold them.
    private static let longestOperations = 24 << 20

    /// - Parameter origin: what the overlay is for.
    init(origin: OverlayPackage.Origin?, options: Options = Options()) {
        self.origin = origin
        self.options = options
    }

    /// Adds a path; each may come once. Where both are the same, or there is none, the record is a guard: it says what must be
    /// there, or that nothing must.
    mutating func add(_ path: RelativePath, from old: SideEntry?, to new: SideEntry?) {
        items.append(Item(path: path, old: old, new: new))
    }

    /// Whether nothing was added.
    var isEmpty: Bool { items.isEmpty }

    /// The overlay; its contents are read where they are, now for what is compared and later for what is carried.
    ///
    /// - Throws: for what can't be read, or is not what the entries say any more.
    func package() throws(CapsuleError) -> OverlayPackage {
        let items = items.sorted { $0.path < $1.path }
        let isInGroups = origin?.layout != .directory
        let identities = ArrayIdentities(options.arrays)
        // What is large is begun first: the others go on beside it.
        let order = items.indices.sorted { Self.length(of: items[$0]) > Self.length(of: items[$1]) }
        let made = try ParallelMap.run(order.count, threads: options.jobs) {
            [options] (number) throws(CapsuleError) -> (Int, Made) in
            try CapsuleError.checkInterruption()
            let item = items[order[number]]
            return (order[number], try Self.make(item, options, identities, isInGroups: isInGroups))
        }
        var overlay = Overlay(arrays: options.arrays, targets: [])
        var contents: [BuiltContents.Content] = []
        var length = 0
        for (number, var own) in made.sorted(by: { $0.0 < $1.0 }) {
            if let target = own.target {
                length += target.length
                if length <= Self.longestOperations {
                    overlay.targets.append(target.value)
                } else if options.isByValue {
                    // No room: the bytes say it instead.
                    own = try Self.bytes(of: items[number], options)
                }
            }
            if let record = own.record { overlay.files.append(record) }
            contents += own.contents
        }
        return OverlayPackage(
            overlay: overlay, contents: contents.isEmpty ? nil : BuiltContents(contents), origin: origin)
    }

    private static func length(of item: Item) -> UInt64 {
        guard let old = item.old, let new = item.new, old.isOtherContent(than: new) else { return 0 }
        return new.entry.size
    }

    private static func make(
        _ item: Item, _ options: Options, _ identities: ArrayIdentities, isInGroups: Bool
    ) throws(CapsuleError) -> Made {
        guard let old = item.old, let new = item.new, old.isOtherContent(than: new) else {
            return try bytes(of: item, options)
        }
        let target = try PlistTarget(old, new, at: item.path, isInGroups: isInGroups, identities: identities)
        var made: Made
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

    /// What is left of a property list that is changed by its values: a record if its mode or attributes change.
    private static func values(of path: RelativePath, _ old: SideEntry, _ new: SideEntry) -> Made {
        var (before, after) = (old.state, new.state)
        before.content = nil
        after.content = nil
        unless(known: &before, &after)
        if before.isSame(as: after) { return Made() }
        return Made(record: FileRecord(path: path, old: before, new: after))
    }

    /// What is known of one side alone is not compared.
    private static func unless(known old: inout FileState, _ new: inout FileState) {
        if old.mode == nil || new.mode == nil { (old.mode, new.mode) = (nil, nil) }
        if old.attributes == nil || new.attributes == nil { (old.attributes, new.attributes) = (nil, nil) }
    }

    /// A record, and the bytes that it needs.
    private static func bytes(of item: Item, _ options: Options) throws(CapsuleError) -> Made {
        var made = Made()
        var record = FileRecord(path: item.path, old: item.old?.state, new: item.new?.state)
        guard let old = item.old, let new = item.new else {
            if let new = item.new { made.carry(new) }
            if let old = item.old, !options.isOneWay { made.carry(old) }
            made.record = record
            return made
        }
        if old.isSame(as: new) {
            // A guard: both say the same, whatever only one side knows.
            record.new = record.old
        } else if old.isOtherContent(than: new) {
            let pair =
                options.carriesWhole
                ? nil : try RecipePair(old, new, at: item.path, needsOld: !options.isOneWay, jobs: options.jobs)
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

extension OverlayBuilder.Made {
    /// Carries a content whole.
    fileprivate mutating func carry(_ side: SideEntry) {
        guard side.entry.kind == .file, side.entry.size > 0 else { return }
        contents.append(BuiltContents.Content(digest: side.entry.digest, size: side.entry.size, open: side.open))
    }

    /// Carries what a recipe needs.
    fileprivate mutating func carry(_ recipe: RecipePair.Side, of side: SideEntry) {
        guard let size = recipe.recipe.carriedSize, size > 0 else { return }
        contents.append(
            BuiltContents.Content(digest: recipe.recipe.carried, size: size) { () throws(CapsuleError) in
                RecipeContent(stretches: recipe.stretches, of: try side.open())
            })
    }
}

/// What one of two trees has at a path.
struct SideEntry: Sendable {
    /// With digest and attributes; its path and root are not looked at.
    var entry: TreeEntry
    /// Whether its mode is known: an archive may have none.
    var hasMode = true
    /// Whether its attributes are known.
    var hasAttributes = true
    /// Opens a file; asked of any thread, and not at all for what has no content.
    var open: @Sendable () throws(CapsuleError) -> any OpenContent

    /// As a record says it, without how its content comes to be.
    var state: FileState {
        FileState(
            kind: entry.kind, mode: hasMode && entry.kind != .link ? entry.mode : nil, modified: entry.modified,
            attributes: hasAttributes && entry.kind != .link ? entry.attributes : nil, target: entry.target,
            content: entry.kind == .file ? FileState.Content(size: entry.size, digest: entry.digest) : nil)
    }

    /// Whether two entries are the same as far as both are known; times don't count.
    func isSame(as other: SideEntry) -> Bool {
        guard entry.kind == other.entry.kind, entry.target == other.entry.target, !isOtherContent(than: other) else {
            return false
        }
        if entry.kind == .link { return true }
        if hasMode, other.hasMode, entry.mode != other.entry.mode { return false }
        return !hasAttributes || !other.hasAttributes || entry.attributes == other.entry.attributes
    }

    /// Whether it is a file as the other is, with other bytes.
    func isOtherContent(than other: SideEntry) -> Bool {
        entry.kind == .file && other.entry.kind == .file
            && (entry.size != other.entry.size || entry.digest != other.entry.digest)
    }
}

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
