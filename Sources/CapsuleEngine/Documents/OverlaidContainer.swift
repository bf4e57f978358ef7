public import CapsuleCore
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

/// How the overlays that a capsule's version carries are applied when it is unpacked.
public struct OverlayApplication: Sendable {
    /// The names that are set, and whether they are expanded.
    public var context: OverlayContext
    /// The app's directory, whose property lists are changed in place; nil to leave it out.
    public var bundle: HostPath?
    /// The time that files have which change.
    public var moment: Timestamp

    /// An application by these names.
    public init(context: OverlayContext, bundle: HostPath? = nil, moment: Timestamp) {
        self.context = context
        self.bundle = bundle
        self.moment = moment
    }

    /// What to say where an app's directory is given, and no overlay is for it.
    static let idleBundle = "no overlay applies to the app: '--app' has no effect"

    /// Works out what they make of a container; nothing is written.
    func overlaying(_ container: OpenedContainer) throws(CapsuleError) -> OverlaidContainer {
        var opened: OpenedContainer?
        if let bundle {
            guard FileProbe.isDirectory(bundle) else { throw CapsuleError("is not a directory", path: bundle) }
            opened = try Container(bundle.bytes).open(ContainerOptions())
        }
        return try OverlaidContainer(container, bundle: opened, context: context, moment: moment)
    }

    /// Changes the app's property lists, and then does the rest; if anything fails, they are as they were.
    func finish(_ overlaid: OverlaidContainer, then rest: () throws(CapsuleError) -> Void) throws(CapsuleError) {
        var changed: [(path: HostPath, before: [UInt8]?)] = []
        do throws(CapsuleError) {
            for file in overlaid.bundleFiles {
                guard let bundle else { break }
                let path = bundle.appending(file.path.bytes)
                if let before = file.before {
                    let current = try PlistFile(onDisk: path)
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
                if let before { try? PlistFile(onDisk: path).replace(with: before) } else { OutputFile.remove(path) }
            }
            throw error
        }
    }
}

extension OpenedContainer {
    /// What is to be said if its overlays are not applied; nil if it has none.
    var overlayNote: String? {
        guard !overlays.isEmpty else { return nil }
        return "\(overlays.count) \(overlays.count == 1 ? "overlay" : "overlays") not applied: '--overlays' applies them"
    }
}
