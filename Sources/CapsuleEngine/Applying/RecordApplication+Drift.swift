import CapsuleCore
import CapsuleFileSystem

extension RecordApplication {
    /// What is not as the record wants it, in words.
    func drift(of record: FileRecord, at place: ContainerEdits.Place) -> CapsuleError {
        let reason =
            switch (record.old, edits[place]?.entry) {
            case (nil, let entry?) where record.new == nil: "exists as a \(entry.kind.word), but the overlay expects nothing here"
            case (nil, let entry?): "already exists as a \(entry.kind.word), but the overlay creates it"
            case (.some, nil): "does not exist"
            case (let old?, let entry?) where old.kind != entry.kind:
                "is a \(entry.kind.word), but the overlay was made for a \(old.kind.word)"
            case (let old?, let entry?): old.difference(from: entry)
            case (nil, nil): "does not exist"
            }
        return CapsuleError(reason, path: HostPath(record.path.bytes))
    }

    /// What ends it: each place, and what to do.
    ///
    /// - Parameter differences: values of property lists that are not what operations expect.
    func refusal(with differences: [CapsuleError]) -> CapsuleError {
        let known = Set(drifts.map(\.path))
        let values = differences.filter { !known.contains($0.path) }
        let places = drifts + conflicts + values
        let isForceable = isForceable && values.allSatisfy { hasRecord(of: $0.path) }
        if places.count == 1, let only = values.first {
            var error = CapsuleError(
                only.code, only.message + "; nothing was changed", path: only.path,
                hint: isForceable ? Self.force(otherWay) : only.hint)
            error.place = only.place
            return error
        }
        let reason =
            merges ? "the overlay can't be merged with the target" : "the target differs from the state that the overlay expects"
        var error = CapsuleError(
            "\(reason)\(places.count == 1 ? "" : " in \(places.count) places"); nothing was changed",
            hint: forces || !isForceable ? nil : Self.force(otherWay))
        error.details = places.map(\.atItsPath)
        return error
    }

    private static func force(_ otherWay: String) -> String { "'--force' writes the overlay's files anyway\(otherWay)" }

    /// Whether the overlay has the whole file.
    private func hasRecord(of path: HostPath?) -> Bool {
        package.overlay.files.contains { path == HostPath($0.path.bytes) && $0.new?.content != nil }
    }

    /// What else can be done.
    private var otherWay: String {
        if !merges { return "; '--three-way' merges them with the target" }
        return lacksContents
            ? "; to merge, make the overlay with 'capsule diff --overlay --carry-whole', without '--one-way'"
            : "; to decide each conflict, merge the containers with 'capsule merge'"
    }
}

extension FileState {
    /// What of an entry of the same kind is not as this says, in words.
    fileprivate func difference(from entry: TreeEntry) -> String {
        if let content, entry.size != content.size || entry.digest != content.digest {
            return "its content is not what the overlay was made for"
        }
        if entry.target != target { return "its link target is not what the overlay was made for" }
        if let mode, entry.mode != mode { return "has mode \(entry.mode.octal), but the overlay was made for \(mode.octal)" }
        return "its extended attributes are not what the overlay was made for"
    }
}
