public import CapsuleCore
import CapsulePropertyList

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
