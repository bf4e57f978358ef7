import CapsuleContainers
package import CapsuleCore
package import CapsuleOverlay
import CapsulePropertyList

/// A container, and the app bundle given with it, with overlays applied to them in memory.
struct PatchedContainer {
    var container: OpenedContainer
    var bundle: OpenedContainer?
    /// The changed files of the app bundle: their paths in the bundle, their new bytes, and the old ones, which are nil for a new
    /// file.
    var bundleFiles: [(path: RelativePath, bytes: [UInt8], before: [UInt8]?)] = []
    var notes: [String] = []

    /// Writes the property lists that overlays changed.
    mutating func write(_ changed: OverlayApplier, _ moment: Timestamp) throws(CapsuleError) {
        var (inner, outer) = (ContainerEdits(container), bundle.map { ContainerEdits($0) })
        for (root, tree) in changed.trees {
            for edited in tree.edited where edited.isTouched {
                let bytes = try edited.writtenBytes()
                guard bytes != edited.document?.bytes else { continue }
                if root == .appBundle {
                    bundleFiles.append((edited.path, bytes, edited.document?.bytes))
                    try outer?.put(bytes, for: edited, in: tree, moment)
                } else {
                    try inner.put(bytes, for: edited, in: tree, moment)
                }
            }
        }
        container = inner.finished()
        bundle = outer?.finished()
        notes += changed.notes
    }
}

extension OpenedContainer {
    /// Returns the overlays that belong to the container.
    /// - Throws: ``CapsuleError`` for an overlay that this release can't read, or that has file records.
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

/// The options for applying overlays to a container.
package struct OverlayApplication: Sendable {
    package var context: OverlayContext
    /// The app bundle that belongs to the container.
    package var bundle: HostPath?
    /// The modification time of new content for which the overlay has no time.
    package var moment: Timestamp
    /// True to let files that an overlay carries replace the files in the target, whatever these are.
    package var forces = false
    /// True to merge files that drifted with the overlay's version of them.
    package var merges = false

    package init(context: OverlayContext, bundle: HostPath? = nil, moment: Timestamp) {
        self.context = context
        self.bundle = bundle
        self.moment = moment
    }

    /// Applies the overlays that belong to a container to it. Nothing is written.
    func patch(_ container: OpenedContainer) throws(CapsuleError) -> PatchedContainer {
        var opened: OpenedContainer?
        if let bundle {
            guard FileProbe.isDirectory(bundle) else { throw CapsuleError("is not a directory", path: bundle) }
            opened = try Container(bundle.bytes).open(ContainerOptions())
        }
        let overlays = try container.readOverlays()
        var run = OverlayApplier(container, bundle: opened, context: context, missing: .isError)
        for (number, overlay) in overlays.enumerated() { try run.apply(overlay, named: "overlay \(number + 1)") }
        try run.refuseDifferences()
        var patched = PatchedContainer(container: container, bundle: opened)
        try patched.write(run, moment)
        patched.container.overlays = []
        patched.bundleFiles.sort { $0.path < $1.path }
        patched.notes +=
            overlays.isEmpty ? ["the version has no overlays: '--overlays' has no effect"] : notes(onBundleBeside: overlays)
        return patched
    }

    /// Returns a note if there is an app bundle and no overlay is for it.
    func notes(onBundleBeside overlays: [Overlay]) -> [String] {
        let isUsed = bundle == nil || overlays.contains { $0.targets.contains { $0.root == .appBundle } }
        return isUsed ? [] : ["no overlay applies to the app: '--app' has no effect"]
    }

    /// Changes the app's property lists, and then calls `rest`. If anything fails, the property lists are restored.
    func finish(_ patched: PatchedContainer, then rest: () throws(CapsuleError) -> Void) throws(CapsuleError) {
        var changed: [(path: HostPath, before: [UInt8]?)] = []
        do throws(CapsuleError) {
            for file in patched.bundleFiles {
                guard let bundle else { break }
                let path = bundle.appending(file.path.bytes)
                if let before = file.before {
                    let current = try PlistFile(onDisk: path, isEdited: true)
                    guard current.document.bytes == before else {
                        throw CapsuleError("was changed by another program in the meantime", path: path)
                    }
                    try current.replace(with: file.bytes)
                } else {
                    try OutputFile.make(file.bytes, at: path)
                }
                changed.append((path, file.before))
            }
            try rest()
        } catch {
            for (path, before) in changed.reversed() {
                if let before {
                    try? PlistFile(onDisk: path, isEdited: true).replace(with: before)
                } else {
                    OutputFile.remove(path)
                }
            }
            throw error
        }
    }
}

extension OpenedContainer {
    var overlayNote: String? {
        guard !overlays.isEmpty else { return nil }
        return "\(overlays.count) \(overlays.count == 1 ? "overlay" : "overlays") not applied: '--overlays' applies them"
    }
}
