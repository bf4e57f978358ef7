import CapsulePropertyList

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
