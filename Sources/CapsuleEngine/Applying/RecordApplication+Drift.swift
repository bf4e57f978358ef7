import CapsuleCore
import CapsuleFileSystem

extension RecordApplication {
    /// What is not as the record wants it, in words.
    func drift(of record: FileRecord, at place: ContainerEdits.Place) -> CapsuleError {
        let reason =
            switch (record.old, edits[place]?.entry) {
            case (nil, let entry?) where record.new == nil: "is there, a \(entry.kind.word), and the overlay wants nothing there"
            case (nil, let entry?): "is there already, a \(entry.kind.word), and the overlay makes it"
            case (.some, nil): "is missing"
            case (let old?, let entry?) where old.kind != entry.kind:
                "is a \(entry.kind.word), and the overlay was made for a \(old.kind.word)"
            case (let old?, let entry?): old.difference(from: entry)
            case (nil, nil): "is missing"
            }
        return CapsuleError(reason, path: HostPath(record.path.bytes))
    }

    /// What ends it: each place, and what to do.
    func refusal() -> CapsuleError {
        let places = drifts + conflicts
        let reason = merges ? "the overlay can't be merged with the target" : "the target is not what the overlay was made for"
        var error = CapsuleError(
            "\(reason),\(places.count == 1 ? "" : " in \(places.count) places,") and nothing was changed",
            hint: forces || !isForceable ? nil : "'--force' puts the overlay's files in place all the same\(otherWay)")
        error.details = places.map { "\($0.path ?? HostPath([])): \($0.message)" }
        return error
    }

    /// What else can be done.
    private var otherWay: String {
        if !merges { return ", '--three-way' merges them with what is there" }
        return lacksContents
            ? "; 'capsule diff --overlay' with '--carry-whole', and without '--one-way', writes one that carries what merging needs"
            : "; 'capsule merge' of the containers lets each conflict be decided"
    }
}

extension FileState {
    /// What of an entry of the same kind is not as this says, in words.
    fileprivate func difference(from entry: TreeEntry) -> String {
        if let content, entry.size != content.size || entry.digest != content.digest {
            return "has another content than the overlay was made for"
        }
        if entry.target != target { return "leads elsewhere than when the overlay was made" }
        if let mode, entry.mode != mode { return "has the mode \(entry.mode.octal), and the overlay was made for \(mode.octal)" }
        return "has other extended attributes than when the overlay was made"
    }
}
