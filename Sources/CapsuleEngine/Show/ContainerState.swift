import CapsuleArchive
package import CapsuleContainers
package import CapsuleCore
import CapsuleRemote
import CapsuleRules
import CapsuleSystem

/// Everything that a page of one state shows: the entries with their kinds, and for a capsule what each version changed. Contents are
/// read when the page asks for them.
package struct ContainerState: Sendable {
    package struct Entry: Sendable {
        package let entry: TreeEntry
        package let kind: FileKind
        /// The class of noise that `--drop` removes; nil for none.
        package let noise: NoiseClass?
        fileprivate let number: Int
        /// True for the log of a database, whose content is in the database's.
        package let isPartOfDatabase: Bool
    }

    package let overview: ContainerOverview
    /// Every entry of the container, in the order of the paths' bytes.
    package let entries: [Entry]
    /// True if the digests of the entries are known.
    package let isDigested: Bool
    /// The versions of the capsule, oldest first, at most ``mostVersions``; empty for any other container.
    package private(set) var versions: [VersionLog.Version] = []
    /// The number of older versions.
    package private(set) var olderVersions = 0
    /// The changes of each version since the one before.
    package private(set) var history: VersionHistory?

    package static let mostVersions = 60
    private static let rowsOnPage = 20

    private let viewer: ContentViewer

    /// - Parameter hasContent: true if the page shows contents, and not only names and sizes.
    package init(
        _ container: Container, hasContent: Bool, showsSecrets: Bool, jobs: Int
    ) throws(CapsuleError) {
        let opened = try container.openLeniently(jobs: jobs)
        var viewer = ContentViewer(opened)
        (viewer.rows, viewer.showsSecrets) = (UInt64(Self.rowsOnPage), showsSecrets)
        self.viewer = viewer
        isDigested = opened.isDigested
        overview = try ContainerOverview(container, opened)
        let numbers = opened.entries.indices.filter { opened.entries[$0].isListed }
        let known = EntryKinds(opened: opened, numbers: numbers)
        let classes = try known.classes()
        let kinds = try known.kinds(classes, jobs: jobs)
        var cover = SecretCover()
        entries = numbers.indices.map { place in
            let entry = opened.entries[numbers[place]]
            return Entry(
                entry: showsSecrets ? entry : cover.hidingTargets(entry, nil).old ?? entry, kind: kinds[place],
                noise: classes[place], number: numbers[place],
                isPartOfDatabase: kinds[place] == .database && !opened.isDatabase(numbers[place]))
        }
        // The contents of all versions of a capsule on a server are too much to fetch unasked.
        guard case .capsule(let capsule, _) = try container.resolve(), !RemoteAddress.isAddress(container.argument) else {
            return
        }
        let log = try VersionLog(capsule)
        guard log.versions.count > 1 else { return }
        versions = log.versions.prefix(Self.mostVersions).reversed()
        olderVersions = log.versions.count - versions.count
        var options = DiffOptions()
        (options.rows, options.lines, options.jobs) = (Self.rowsOnPage, Self.rowsOnPage, jobs)
        options.depth = hasContent ? .contents : .entries
        options.skipsKeychain = container.keychain == .leftOut
        let history = try VersionHistory(
            capsule.file.path, of: nil, options, newest: Self.mostVersions, showsSecrets: showsSecrets)
        self.history = hasContent ? history : history.withoutContents()
    }

    /// Returns what a page shows of a file.
    /// - Throws: for a file that can't be read or is too large for a page.
    package func content(of entry: Entry) throws(CapsuleError) -> ShownFile {
        try CapsuleError.checkInterruption()
        return try viewer.page(of: entry.number)
    }
}
