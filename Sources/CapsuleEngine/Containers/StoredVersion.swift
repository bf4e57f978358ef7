import CapsuleArchive
import CapsuleCore

/// One version of a capsule with its whole index.
struct StoredVersion: Sendable {
    let capsule: CapsuleReader
    let footer: Footer
    let manifest: Manifest
    let root: IndexRoot
    /// In the order of the index.
    let entries: [TreeEntry]
    let content: CapsuleContent

    /// Reads all of a version's metadata and checks that it is a tree.
    init(_ capsule: CapsuleReader, _ selector: VersionSelector) throws(CapsuleError) {
        do throws(ArchiveError) {
            self.capsule = capsule
            footer = try capsule.footer(of: selector)
            (manifest, root) = try capsule.head(of: footer)
            var entries: [TreeEntry] = []
            entries.reserveCapacity(Int(root.entries))
            var extents = ExtentTable(entries: Int(root.entries))
            let index = WholeIndex(capsule, root)
            for number in 0..<index.count {
                let block = try index.block(number)
                entries += block.entries
                extents.append(block)
            }
            self.entries = entries
            content = CapsuleContent(capsule, extents)
        } catch {
            throw Self.error(error, reading: selector, of: capsule)
        }
        guard root.bytes == entries.totalSize else {
            throw CapsuleError("index and manifest of version \(footer.version) don't match", path: capsule.file.path)
        }
        guard footer.isOverlay == (manifest.overlay != nil), !footer.isOverlay || footer.previous == nil else {
            throw CapsuleError("footer and manifest of version \(footer.version) don't match", path: capsule.file.path)
        }
        let problem = TreeShape.problem(
            in: entries, layout: manifest.layout, groups: manifest.groups, isOverlay: footer.isOverlay)
        if let problem { throw .noTree(problem, version: footer.version) }
    }

    /// The root of a version's index, and what looks whether the index is a tree.
    static func index(
        of capsule: CapsuleReader, _ selector: VersionSelector
    ) throws(CapsuleError) -> (root: IndexRoot, shape: IndexShape) {
        do throws(ArchiveError) {
            let footer = try capsule.footer(of: selector)
            let (manifest, root) = try capsule.head(of: footer)
            return (root, IndexShape(capsule, footer, manifest))
        } catch {
            throw Self.error(error, reading: selector, of: capsule)
        }
    }

    /// The version as a container of any form.
    var opened: OpenedContainer {
        OpenedContainer(
            name: manifest.name, layout: manifest.layout, source: manifest.source, groups: manifest.groups, entries: entries,
            isDigested: true, content: content, omitted: manifest.omitted, wantedOmissions: manifest.omitted.count,
            earlierOmissions: manifest.omitted.count, overlays: manifest.overlays, evidence: ["the footer of a capsule"])
    }

    /// The error of a use case for one of reading a version; a version that isn't there is told with those that are.
    static func error(_ error: ArchiveError, reading selector: VersionSelector, of capsule: CapsuleReader) -> CapsuleError {
        guard error.code == .noSuchVersion, let names = try? capsule.versionNames() else {
            return CapsuleError(error, hint: hint(for: error))
        }
        return CapsuleError(
            .notFound, error.message, path: error.path, hint: hint(for: error), misspelt: (selector.text, names))
    }

    static func hint(for error: ArchiveError) -> String? {
        switch error.code {
        case .noSuchVersion: "'capsule log \(error.path)' lists them"
        case .damaged: "'capsule verify' shows what is intact"
        case .torn: "tar may still extract files from it"
        case .newerFormat: "read it with a newer capsule"
        default: nil
        }
    }
}
