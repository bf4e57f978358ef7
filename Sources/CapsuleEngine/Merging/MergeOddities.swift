import CapsuleArchive
import CapsuleCore
import CapsulePropertyList

/// What is odd about the three that are merged: what a version does not hold counts as deleted, and nobody is to lose a file
/// that way unawares; nor by taking another app's container for this one's.
struct MergeOddities {
    /// A sentence each.
    let notes: [String]

    /// - Parameter inputs: base, ours, theirs.
    /// - Throws: for what could not be read when a version was packed: what is not known can't be merged.
    init(_ inputs: [MergeInput]) throws(CapsuleError) {
        var notes: [String] = []
        for (number, input) in inputs.enumerated() {
            let name = String(decoding: input.container.argument, as: UTF8.self)
            if let unread = input.opened.omitted.first(where: \.isUnreadable) {
                throw CapsuleError(
                    "could not be read when \(name) was packed, so it can't be merged",
                    path: HostPath(unread.shownPath), hint: "pack the container again where every file is readable")
            }
            let left = Set(
                input.opened.omitted.filter(\.isWished).compactMap { try? RelativePath(validating: $0.path) })
            if left.isEmpty { continue }
            let others = inputs.indices.filter { $0 != number }.map { inputs[$0].opened.entries }
            let lost = others.lazy.compactMap { entries in
                entries.first { entry in entry.path.isAtOrBelow(where: left.contains) }?.path
            }
            guard let first = lost.first else { continue }
            notes.append(
                "\(name) was packed without \(first)\(left.count > 1 ? " and more" : ""), which another side has: "
                    + (number == 0 ? "merged as added" : "merged as deleted"))
        }
        let apps = Set(inputs.compactMap { $0.opened.source.bundleIdentifier?.string })
        if apps.count > 1 {
            notes.append("the inputs are containers of different apps: \(apps.sorted().joined(separator: ", "))")
        }
        self.notes = notes
    }
}
