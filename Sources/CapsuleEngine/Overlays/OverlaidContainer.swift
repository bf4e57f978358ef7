import CapsuleCore
import CapsulePropertyList

/// A container with overlays applied to it, and what they make of an app bundle.
struct OverlaidContainer {
    /// The container, in which the files that changed are made up.
    private(set) var container: OpenedContainer
    /// The app bundle's files that change: paths in it, their bytes, and those that they had; nil for one that is made.
    private(set) var bundleFiles: [(path: RelativePath, bytes: [UInt8], before: [UInt8]?)] = []
    /// What is worth a word, a sentence each.
    let notes: [String]

    /// Applies a container's overlays.
    ///
    /// - Parameters:
    ///   - bundle: the app bundle, as a plain directory.
    ///   - moment: when files that change, change.
    init(
        _ container: OpenedContainer, bundle: OpenedContainer?, context: OverlayContext, moment: Timestamp
    ) throws(CapsuleError) {
        var run = OverlayRun(container, bundle: bundle, context: context, missing: .isError)
        let overlays = try container.readOverlays()
        for (number, overlay) in overlays.enumerated() {
            try run.apply(overlay, named: "overlay \(number + 1)")
        }
        try run.refuseDifferences()
        notes = run.notes + Self.notes(on: overlays, isForBundle: bundle != nil)
        self.container = container
        self.container.overlays = []
        var edits = ContainerEdits(self.container)
        for (root, tree) in run.trees {
            for edited in tree.edited where edited.isTouched {
                let bytes = try edited.writtenBytes()
                guard bytes != edited.document?.bytes else { continue }
                if root == .appBundle {
                    bundleFiles.append((edited.path, bytes, edited.document?.bytes))
                } else {
                    try edits.put(bytes, for: edited, in: tree, moment)
                }
            }
        }
        bundleFiles.sort { $0.path < $1.path }
        self.container = edits.finished()
    }
}

extension OverlaidContainer {
    /// What was asked for and does nothing.
    private static func notes(on overlays: [Overlay], isForBundle: Bool) -> [String] {
        if overlays.isEmpty { return ["the version has no overlays: '--overlays' has no effect"] }
        let isUsed = overlays.contains { $0.targets.contains { $0.root == .appBundle } }
        return isForBundle && !isUsed ? [OverlayApplication.idleBundle] : []
    }
}

extension OpenedContainer {
    /// The overlays that belong to the container.
    ///
    /// - Throws: for one that this release does not understand.
    func readOverlays() throws(CapsuleError) -> [Overlay] {
        var read: [Overlay] = []
        for (number, value) in overlays.enumerated() {
            do throws(OverlayError) {
                read.append(try Overlay(value, format: .xml))
            } catch {
                throw CapsuleError("overlay \(number + 1) can't be read: \(error)", hint: error.hint)
            }
            guard read[number].files.isEmpty else {
                throw CapsuleError("overlay \(number + 1) has file records, which an overlay stored with a container can't have")
            }
        }
        return read
    }
}
