package import CapsuleCore
import CapsulePropertyList

extension Overlay {
    /// Returns an overlay that does what this one does, and then what another one does, with the contents that it must carry.
    package func composition(with next: Overlay) throws(OverlayError) -> OverlayComposition {
        var (first, next) = (try restated(), try next.restated())
        try first.refuseOtherPaths(than: next)
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

    /// Throws if one overlay names the files that it changes and the other does not: nothing could apply both.
    private func refuseOtherPaths(than next: Overlay) throws(OverlayError) {
        let hasFiles = [self, next].map { !$0.files.isEmpty || $0.targets.contains { $0.path != nil } }
        let hasOwn = [self, next].map { overlay in overlay.targets.contains { $0.path == nil } }
        guard (hasFiles[0] && hasOwn[1]) || (hasFiles[1] && hasOwn[0]) else { return }
        throw OverlayError(
            .unsupported,
            "the \(hasOwn[1] ? "second" : "first") overlay has no Path, and the \(hasOwn[1] ? "first" : "second") names the files that it changes",
            hint: "give it a 'Path'; 'capsule help overlays' shows a document with one")
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
        // The conditions of each overlay become conditions of its targets.
        if conditions == next.conditions {
            result.conditions = conditions
            result.targets = targets + next.targets
        } else {
            result.targets = try conditioned() + next.conditioned()
        }
        return result
    }

    /// Throws if an array rule of one overlay would affect what the other overlay merges, or inserts into an array.
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

    private func inserts(_ rule: ArrayIdentities.Rule) -> Bool {
        targets.contains { target in
            target.operations.contains { operation in
                guard case .insert = operation.action, operation.path.mayEndInArray, let array = operation.path.parent else {
                    return false
                }
                return rule.pattern.matches(array.steps)
            }
        }
    }

    /// True if the overlay merges deeply anywhere, so that every array rule may affect it.
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

/// One overlay for two in sequence, with the contents that must be assembled for it.
package struct OverlayComposition: Hashable, Sendable {
    /// A content that neither overlay carries in the form that the record needs.
    package struct Content: Hashable, Sendable {
        package let path: RelativePath
        /// True for the record's new content; false for its old one.
        package let isNew: Bool
        /// The assembly of the content. If it copies nothing, it is the whole content. Otherwise the record has the recipe, without
        /// the digest of the carried bytes.
        package let content: ComposedContent
    }

    /// The composed overlay. In it, the recipes of ``contents`` have `ContentDigest.zero` as their `carried` digest.
    package var overlay: Overlay
    /// The contents to assemble, in no meaningful order.
    package var contents: [Content]
}

// Combines targets, which change property lists, with records, which change whole files.

extension Overlay.Target {
    /// The path in a container's tree of the only file that the target is for; nil for a pattern, for a path with names to expand,
    /// and for a path that is not in the tree.
    var literalPath: RelativePath? {
        guard let path, !isPattern else { return nil }
        return treePath(path).flatMap { try? RelativePath(validating: $0) }
    }

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
    /// True if the record says which bytes a path has, or that it has none. Operations of another overlay would contradict it.
    fileprivate var isAboutContent: Bool {
        guard let old, let new else { return true }
        return old.kind != .file || new.kind != .file || old.content != nil || new.content != nil
    }
}

extension Overlay {
    /// - Parameter isOwnTarget: true if the document is itself its only target.
    /// - Throws: `invalid` for a target whose file is not a file afterwards, according to its record.
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

    var literalPaths: Set<RelativePath> { Set(targets.compactMap(\.literalPath)) }

    /// - Throws: `unsupported` if records, which can't have conditions, would need some.
    func refuseConditionedFiles(besides next: Overlay) throws(OverlayError) {
        guard conditions != next.conditions else { return }
        for overlay in [self, next] where !overlay.files.isEmpty && !overlay.conditions.isEmpty {
            throw OverlayError(
                .unsupported, "one overlay has a file part with conditions that the other lacks",
                in: PlistPointer(steps: ["When"]), hint: "use the same 'When' in both")
        }
    }

    /// Removes the targets that the other overlay's records make unnecessary. If both overlays have a record of a file and the
    /// other one has no operations for it, the joined record describes the whole change.
    ///
    /// - Throws: `unsupported` for a target without a record if the other overlay has one: the digest of the target's result is not
    ///   known.
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
    /// Returns the record of the file that the target is for. For a pattern, that is the first record about content that it
    /// matches.
    fileprivate func record(among records: FileRecordSet) throws(OverlayError) -> FileRecord? {
        guard let path, let whole = treePath(path) else { return nil }
        if let literalPath { return records[literalPath] }
        if let path = try? RelativePath(validating: whole), let record = records[path] { return record }
        // The expanded path is not known here, so it may be the path of any record.
        if path.contains("$(") || path.contains("${") { return records.records.first { $0.isAboutContent } }
        guard let glob = try? Glob(whole) else { return nil }
        return records.records.first { $0.isAboutContent && glob.matches($0.path.bytes) }
    }
}
