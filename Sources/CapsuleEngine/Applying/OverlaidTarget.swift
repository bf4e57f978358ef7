import CapsuleCore
import CapsulePropertyList

/// A live container, and an app bundle beside it, as overlays change them one after the other, in memory.
struct OverlaidTarget {
    /// How overlays are applied.
    struct Options: Sendable {
        /// The names that are set, and what the command line says.
        var context: OverlayContext
        /// Whether files that an overlay brings replace what is there, whatever that is.
        var forces = false
        /// Whether files that drifted are merged with what an overlay makes of them.
        var merges = false
        /// The time of what is made and has none in the overlay.
        var moment: Timestamp
        /// How many threads read.
        var jobs = 1
    }

    private(set) var container: OpenedContainer
    private(set) var bundle: OpenedContainer?
    /// The container as it was, with the digests that were found out; nil before the first overlay.
    private(set) var digested: OpenedContainer?
    /// What is worth a word, a sentence each.
    private(set) var notes: [String] = []
    private let options: Options

    init(_ container: OpenedContainer, bundle: OpenedContainer?, _ options: Options) {
        self.container = container
        self.bundle = bundle
        self.options = options
    }

    /// Applies an overlay after those before it: first its records, then its operations to what no record settled.
    ///
    /// - Parameter name: what it is called in messages.
    mutating func apply(_ package: OverlayPackage, named name: String) throws(CapsuleError) {
        if let obstacle = options.context.obstacle(options.context.conditions + package.overlay.conditions) {
            notes.append("\(name): skipped: \(obstacle)")
            return
        }
        var records = RecordApplication(package, to: container, options)
        try records.run()
        if digested == nil { digested = records.edits.base }
        container = records.edits.finished()
        var context = options.context
        // A path on the command line picked the targets already.
        context.targetPath = nil
        var run = OverlayRun(container, bundle: bundle, context: context, missing: .isError, settled: records.settled)
        var overlay = package.overlay
        let missing = records.missingGroups.union(takeTargetsOfMissingGroups(from: &overlay))
        for identifier in missing.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let group = String(decoding: identifier, as: UTF8.self)
            let note = "changes for the app group \(group) are skipped: name its directory with '--group'"
            if !notes.contains(note) { notes.append(note) }
        }
        do throws(CapsuleError) {
            try run.apply(overlay, named: name)
        } catch {
            // What drifted may be why.
            if !records.isRefused { throw error }
        }
        if records.isRefused || !run.differences.isEmpty { throw records.refusal(with: run.differences) }
        notes += run.notes
        var (inner, outer) = (ContainerEdits(container), bundle.map { ContainerEdits($0) })
        for (root, tree) in run.trees {
            for edited in tree.edited where edited.isTouched {
                let bytes = try edited.writtenBytes()
                guard bytes != edited.document?.bytes else { continue }
                if root == .appBundle {
                    try outer?.put(bytes, for: edited, in: tree, options.moment)
                } else {
                    try inner.put(bytes, for: edited, in: tree, options.moment)
                }
            }
        }
        container = inner.finished()
        bundle = outer?.finished()
    }

    /// Takes the targets out for which the container has no place.
    ///
    /// - Returns: the identifiers of their app groups.
    private func takeTargetsOfMissingGroups(from overlay: inout Overlay) -> Set<[UInt8]> {
        var missing: Set<[UInt8]> = []
        overlay.targets.removeAll { target in
            guard case .appGroup(let name) = target.root, !container.groups.contains(Array(name.utf8)) else { return false }
            missing.insert(Array(name.utf8))
            return true
        }
        return missing
    }
}
