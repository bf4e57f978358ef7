import CapsuleCore
import CapsuleHashing
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
        for (number, overlay) in try container.readOverlays().enumerated() {
            try run.apply(overlay, named: "overlay \(number + 1)")
        }
        notes = run.notes
        self.container = container
        self.container.overlays = []
        var changes: [Int: [UInt8]] = [:]
        var made: [(TreeEntry, [UInt8])] = []
        for (root, tree) in run.trees {
            for edited in tree.edited where edited.isTouched {
                let bytes = try Self.bytes(of: edited)
                guard bytes != edited.document?.bytes else { continue }
                if root == .appBundle {
                    bundleFiles.append((edited.path, bytes, edited.document?.bytes))
                } else if let number = edited.number {
                    changes[number] = bytes
                } else {
                    made.append((Self.entry(edited.path, tree, bytes, moment), bytes))
                }
            }
        }
        bundleFiles.sort { $0.path < $1.path }
        if !changes.isEmpty || !made.isEmpty { try put(changes, made, moment) }
    }

    private static func bytes(of edited: OverlayTree.Edited) throws(CapsuleError) -> [UInt8] {
        do throws(PlistError) {
            return try edited.bytes()
        } catch {
            throw CapsuleError(error, in: HostPath(edited.path.bytes))
        }
    }

    /// A file that is made: as apps make theirs, preferences for nobody else.
    private static func entry(_ path: RelativePath, _ tree: OverlayTree, _ bytes: [UInt8], _ moment: Timestamp) -> TreeEntry {
        let isPreference = path.bytes.starts(with: Array("Library/Preferences/".utf8))
        return TreeEntry(
            path: tree.prefix.isRoot ? path : RelativePath(joining: tree.prefix.bytes, path), root: tree.root, kind: .file,
            mode: FileMode(isPreference ? 0o600 : 0o644), modified: moment, size: UInt64(bytes.count),
            digest: SHA256Hasher.digest(of: bytes))
    }

    private mutating func put(
        _ changes: [Int: [UInt8]], _ made: [(TreeEntry, [UInt8])], _ moment: Timestamp
    ) throws(CapsuleError) {
        var items: [(entry: TreeEntry, source: OverlaidContent.Source)] = []
        for (number, entry) in container.entries.enumerated() {
            guard let bytes = changes[number] else {
                items.append((entry, .own(number)))
                continue
            }
            var entry = entry
            (entry.size, entry.digest, entry.modified) = (UInt64(bytes.count), SHA256Hasher.digest(of: bytes), moment)
            items.append((entry, .madeUp(bytes)))
        }
        for (entry, bytes) in made {
            try makeParents(of: entry, in: &items, moment)
            items.append((entry, .madeUp(bytes)))
        }
        items.sort { TreeEntry.isOrdered($0.entry, before: $1.entry) }
        let own = container.content as? any PiecewiseContent ?? FilewiseContent(container.content, entries: container.entries)
        container.entries = items.map(\.entry)
        container.content = OverlaidContent(own, sources: items.map(\.source), entries: container.entries)
    }

    private func makeParents(
        of entry: TreeEntry, in items: inout [(entry: TreeEntry, source: OverlaidContent.Source)], _ moment: Timestamp
    ) throws(CapsuleError) {
        var path = entry.path.parent
        while let directory = path, !directory.isRoot {
            if let known = items.first(where: { $0.entry.root == entry.root && $0.entry.path == directory }) {
                guard known.entry.kind == .directory else {
                    throw CapsuleError("is no directory, and an overlay makes a file in it", path: HostPath(directory.bytes))
                }
                return
            }
            let made = TreeEntry(
                path: directory, root: entry.root, kind: .directory, mode: FileMode(0o755), modified: moment)
            items.append((made, .madeUp([])))
            path = directory.parent
        }
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
                throw CapsuleError("overlay \(number + 1) has a file part, which no container's capsule carries")
            }
        }
        return read
    }
}
