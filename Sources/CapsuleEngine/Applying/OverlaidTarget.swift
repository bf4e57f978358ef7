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
            notes.append("\(name) passed over: \(obstacle)")
            return
        }
        var records = RecordApplication(
            package, to: container, forces: options.forces, moment: options.moment, jobs: options.jobs)
        try records.run()
        notes += records.notes
        if digested == nil { digested = records.edits.base }
        container = records.edits.finished()
        var context = options.context
        // A path on the command line picked the targets already.
        context.targetPath = nil
        var run = OverlayRun(container, bundle: bundle, context: context, missing: .isError, settled: records.settled)
        try run.apply(package.overlay, named: name)
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
}
