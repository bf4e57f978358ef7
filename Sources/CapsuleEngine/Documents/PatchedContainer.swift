import CapsuleContainers
package import CapsuleCore
package import CapsuleOverlay
import CapsulePropertyList

/// A container with overlays applied to it, and the changes that they make to an app bundle.
struct PatchedContainer {
    private(set) var container: OpenedContainer
    /// The changed files of the app bundle: their paths in the bundle, their new bytes, and the old ones, which are nil for a new
    /// file.
    private(set) var bundleFiles: [(path: RelativePath, bytes: [UInt8], before: [UInt8]?)] = []
    let notes: [String]

    init(
        _ container: OpenedContainer, bundle: OpenedContainer?, context: OverlayContext, moment: Timestamp
    ) throws(CapsuleError) {
        var run = OverlayApplier(container, bundle: bundle, context: context, missing: .isError)
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

    private static func notes(on overlays: [Overlay], isForBundle: Bool) -> [String] {
        if overlays.isEmpty { return ["the version has no overlays: '--overlays' has no effect"] }
        let isUsed = overlays.contains { $0.targets.contains { $0.root == .appBundle } }
        return isForBundle && !isUsed ? [OverlayApplication.idleBundle] : []
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

/// The options for applying the overlays of a version when it is unpacked or restored.
package struct OverlayApplication: Sendable {
    package var context: OverlayContext
    package var bundle: HostPath?
    package var moment: Timestamp

    package init(context: OverlayContext, bundle: HostPath? = nil, moment: Timestamp) {
        self.context = context
        self.bundle = bundle
        self.moment = moment
    }

    static let idleBundle = "no overlay applies to the app: '--app' has no effect"

    /// Nothing is written.
    func overlaying(_ container: OpenedContainer) throws(CapsuleError) -> PatchedContainer {
        var opened: OpenedContainer?
        if let bundle {
            guard FileProbe.isDirectory(bundle) else { throw CapsuleError("is not a directory", path: bundle) }
            opened = try Container(bundle.bytes).open(ContainerOptions())
        }
        return try PatchedContainer(container, bundle: opened, context: context, moment: moment)
    }

    /// Changes the app's property lists, and then calls `rest`. If anything fails, the property lists are restored.
    func finish(_ overlaid: PatchedContainer, then rest: () throws(CapsuleError) -> Void) throws(CapsuleError) {
        var changed: [(path: HostPath, before: [UInt8]?)] = []
        do throws(CapsuleError) {
            for file in overlaid.bundleFiles {
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
