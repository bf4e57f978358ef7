import CapsulePropertyList

extension Overlay {
    /// The overlay that does what this one does, and then what another does.
    ///
    /// - Throws: `unsupported` where one document can't say both, and where contents had to be put together of what they carry.
    public func composed(with next: Overlay) throws(OverlayError) -> Overlay {
        let composition = try composition(with: next)
        if let content = composition.contents.first {
            throw OverlayError(
                .unsupported,
                "\(PlistString(content.path.description).quoted) is stored as changed blocks in both overlays, and their contents are not available"
            )
        }
        return composition.overlay
    }

    /// The overlay that does what this one does, and then what another does, with the contents that it has to carry.
    ///
    /// - Throws: `unsupported` where one document can't say both.
    public func composition(with next: Overlay) throws(OverlayError) -> OverlayComposition {
        var (first, next) = (try restated(), try next.restated())
        try first.refuseOtherArrays(than: next)
        try first.refuseConditionedFiles(besides: next)
        let (own, others) = (try FileRecordSet(first.files), try FileRecordSet(next.files))
        let files = try own.composed(with: others)
        let paths = (first.literalPaths, next.literalPaths)
        try first.leaveOutTargets(own: own, of: others, withTargets: paths.1, "second")
        try next.leaveOutTargets(own: others, of: own, withTargets: paths.0, "first")
        var result = try first.joinedTargets(with: next)
        result.files = files.records
        return OverlayComposition(overlay: result, contents: files.contents)
    }

    private func joinedTargets(with next: Overlay) throws(OverlayError) -> Overlay {
        var result = Overlay(name: name ?? next.name, note: note ?? next.note, arrays: arrays, targets: [])
        for rule in next.arrays {
            if let known = arrays.first(where: { $0.pattern == rule.pattern }) {
                guard known.identity == rule.identity else {
                    throw OverlayError(
                        .unsupported, "'\(rule.pattern)' is \(known.identity) in one overlay and \(rule.identity) in the other",
                        in: PlistPointer(steps: ["Arrays"]))
                }
            } else {
                result.arrays.append(rule)
            }
        }
        // Conditions of the whole become those of each part.
        if conditions == next.conditions {
            result.conditions = conditions
            result.targets = targets + next.targets
        } else {
            result.targets = try conditioned() + next.conditioned()
        }
        return result
    }

    /// A rule of one would hold for what the other merges, or inserts in an array.
    private func refuseOtherArrays(than next: Overlay) throws(OverlayError) {
        for (one, other) in [(self, next), (next, self)] {
            let strange = one.arrays.filter { !other.arrays.contains($0) }
            guard let rule = other.mergesDeep ? strange.first : strange.first(where: other.inserts) else { continue }
            throw OverlayError(
                .unsupported,
                "'\(rule.pattern)' is \(rule.identity) in one overlay; the other \(other.mergesDeep ? "merges" : "inserts there") without it",
                in: PlistPointer(steps: ["Arrays"]), hint: "use the same 'Arrays' in both")
        }
    }

    /// Whether it inserts in an array that a rule may be about.
    private func inserts(_ rule: ArrayIdentities.Rule) -> Bool {
        targets.contains { target in
            target.operations.contains { operation in
                guard case .insert = operation.action, operation.path.mayEndInArray, let array = operation.path.parent else {
                    return false
                }
                return rule.pattern.matches(array)
            }
        }
    }

    /// Whether identities matter to all that it does.
    private var mergesDeep: Bool {
        targets.contains { target in
            target.merge != nil
                || target.operations.contains { operation in
                    if case .merge = operation.action { true } else { false }
                }
        }
    }

    private func conditioned() throws(OverlayError) -> [Target] {
        var all: [Target] = []
        for target in targets {
            var target = target
            for condition in conditions where !target.conditions.contains(condition) {
                guard !target.conditions.contains(where: { $0.name == condition.name }) else {
                    throw OverlayError(
                        .unsupported, "the overlay and its target both have a condition on \(condition.name)",
                        in: PlistPointer(steps: ["When"]), hint: "keep one of them")
                }
                target.conditions.append(condition)
            }
            all.append(target)
        }
        return all
    }
}

/// What two overlays do one after the other, as one, and the contents that have to be put together for it.
public struct OverlayComposition: Hashable, Sendable {
    /// A content that neither overlay carries as the records need it.
    public struct Content: Hashable, Sendable {
        /// The record's.
        public let path: RelativePath
        /// Whether it is the record's new content; else its old one.
        public let isNew: Bool
        /// What it is put together of. Whole if nothing is copied; else the record has the recipe, without the digest of what is
        /// carried.
        public let content: ComposedContent
    }

    /// In it the recipes of ``contents`` carry ``ContentDigest/zero``.
    public var overlay: Overlay
    /// In no order that means anything.
    public var contents: [Content]
}

// How targets, which change property lists, and records, which change whole files, go together.

extension Overlay.Target {
    /// The path in a container's tree of the one file that it is for; nil for a pattern, for what is expanded, and for what is not
    /// in the tree.
    var literalPath: RelativePath? {
        guard let path, !isPattern else { return nil }
        return treePath(path).flatMap { try? RelativePath(validating: $0) }
    }

    /// Whether its path may stand for several, or for another one.
    fileprivate var isPattern: Bool { path?.utf8.contains { "*?[\\$".utf8.contains($0) } == true }

    fileprivate func treePath(_ path: String) -> [UInt8]? {
        switch root {
        case .appData: Array(path.utf8)
        case .appBundle: nil
        case .appGroup(let identifier):
            ContainerNames.appGroups + [RelativePath.slash] + Array(identifier.utf8) + [RelativePath.slash] + Array(path.utf8)
        }
    }
}

extension FileRecord {
    /// Whether it says which bytes a path has, or that it has none: what the operations of another overlay would contradict.
    fileprivate var isAboutContent: Bool {
        guard let old, let new else { return true }
        return old.kind != .file || new.kind != .file || old.content != nil || new.content != nil
    }
}

extension Overlay {
    /// - Parameter isOwnTarget: whether the document is itself the one target.
    /// - Throws: `invalid` for a target whose file, its record says, is none afterwards.
    func refuseTargetsWithoutFile(isOwnTarget: Bool) throws(OverlayError) {
        guard !files.isEmpty else { return }
        let records = try FileRecordSet(files)
        for (number, target) in targets.enumerated() {
            guard let path = target.literalPath, let record = records[path], record.new?.kind != .file else { continue }
            throw OverlayError(
                .invalid,
                "Path: \(PlistString(path.description).quoted) \(record.new.map { "is a \($0.kind.word)" } ?? "does not exist") afterwards, according to its record",
                in: PlistPointer(steps: (isOwnTarget ? [] : ["Targets", PlistString(String(number))]) + ["Path"]))
        }
    }

    /// The files that targets are for.
    var literalPaths: Set<RelativePath> { Set(targets.compactMap(\.literalPath)) }

    /// - Throws: `unsupported` where records, which have no conditions, would have to get some.
    func refuseConditionedFiles(besides next: Overlay) throws(OverlayError) {
        guard conditions != next.conditions else { return }
        for overlay in [self, next] where !overlay.files.isEmpty && !overlay.conditions.isEmpty {
            throw OverlayError(
                .unsupported, "one overlay has a file part with conditions that the other lacks",
                in: PlistPointer(steps: ["When"]), hint: "use the same 'When' in both")
        }
    }

    /// Leaves out the targets that the other overlay's records make pointless: where both have a record of a file, and the other
    /// no operations, that record joined with the own one is all there is to say.
    ///
    /// - Parameters:
    ///   - own: the own records.
    ///   - others: the other overlay's, which `name` says.
    ///   - paths: what the other overlay has targets for.
    /// - Throws: `unsupported` for a target without a record where the other has one: what it makes of the file has no digest.
    mutating func leaveOutTargets(
        own: FileRecordSet, of others: FileRecordSet, withTargets paths: Set<RelativePath>, _ name: String
    ) throws(OverlayError) {
        guard !others.records.isEmpty else { return }
        var kept: [Target] = []
        for (number, target) in targets.enumerated() {
            guard let met = try target.record(among: others), met.isAboutContent else {
                kept.append(target)
                continue
            }
            guard target.literalPath != nil, own[met.path] != nil else {
                throw OverlayError(
                    .unsupported,
                    "\(PlistString(met.path.description).quoted): the \(name) overlay changes its bytes, the other its values",
                    in: PlistPointer(steps: targets.count > 1 ? ["Targets", PlistString(String(number))] : []),
                    hint: "'diff --overlay' writes overlays that record both")
            }
            if paths.contains(met.path) { kept.append(target) }
        }
        targets = kept
    }
}

extension Overlay.Target {
    /// The record of the file that it is for; of a pattern, the first that it fits and that is about content.
    fileprivate func record(among records: FileRecordSet) throws(OverlayError) -> FileRecord? {
        guard let path, let whole = treePath(path) else { return nil }
        if let literalPath { return records[literalPath] }
        if let path = try? RelativePath(validating: whole), let record = records[path] { return record }
        // What it will be when it is expanded is not known here, so that it may be any.
        if path.contains("$(") || path.contains("${") { return records.records.first { $0.isAboutContent } }
        guard let glob = try? Glob(whole) else { return nil }
        return records.records.first { $0.isAboutContent && glob.matches($0.path.bytes) }
    }
}
