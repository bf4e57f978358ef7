import CapsuleCore
import CapsulePropertyList

/// A container that was found, understood and listed; its files' bytes can be read.
struct OpenedContainer: Sendable {
    /// Its name: what stands before `.xcappdata`.
    var name: [UInt8]
    var layout: ContainerLayout
    var source: SourceDescription
    /// The app groups' identifiers, by bytes.
    var groups: [[UInt8]]
    /// In the order of the index. A live file's digest is zero, and its attributes are not known, unless the cache had it.
    var entries: [TreeEntry]
    /// Whether the entries' digests and attributes are known.
    var isDigested: Bool
    var content: any ContentProvider
    /// What can't be, or was not, taken over.
    var omitted: [Omission]
    /// How many of ``omitted`` the user asked for; they come first.
    var wantedOmissions: Int
    /// How many of those were left out when the version was packed that the container is; they come last.
    var earlierOmissions = 0
    /// The overlays that a capsule's version carries, each a document.
    var overlays: [PlistValue] = []
    /// What it was taken for, and why, in words.
    var evidence: [String]
    /// What is kept of what was read of the files; nil where it is not live, or not wanted.
    var statCache: StatCacheSession?
    /// The places of entries whose modes are made up, since an archive had none for them.
    var withoutModes: Set<Int> = []
    /// Whether extended attributes could have come with the entries.
    var hasAttributes = true
    /// The modes of the files that it was read from: what is made of it is open to nobody whom they are closed to.
    var inputModes: [FileMode] = []
    /// What was taken otherwise than the container has it, a sentence each, lower case, no period.
    var remarks: [String] = []
}

extension OpenedContainer {
    /// What was left out or flattened though nobody asked for it.
    var unwantedOmissions: [Omission] { Array(omitted.dropFirst(wantedOmissions)) }

    /// Whether what is read of its files must have the digests that its entries have: a live container's may change.
    var hasFinalDigests: Bool { isDigested && !content.isLive }

    /// The directories that could not be listed, of a container that was just listed.
    var unlistedDirectories: [Omission] { omitted.filter(\.isUnlisted) }

    /// Why directories could not be listed, by their paths.
    var unlisted: [RelativePath: String] {
        var reasons: [RelativePath: String] = [:]
        for omission in unlistedDirectories {
            if let path = try? RelativePath(validating: omission.path) {
                reasons[path] = String(omission.reason.dropFirst(Omission.unlisted.count))
            }
        }
        return reasons
    }

    /// Without what the options leave out, for containers that were listed without them.
    func filtered(_ options: ContainerOptions) throws(CapsuleError) -> OpenedContainer {
        try options.refuseGroups()
        let leftOut = options.leftOut
        if leftOut.isEmpty { return self }
        guard let content = content as? any PiecewiseContent else {
            throw CapsuleError(.usage, "is already completely listed, so nothing can be left out")
        }
        var excluded = ExcludedPaths(leftOut)
        var kept = self
        kept.entries = []
        var numbers: [UInt32] = []
        for (number, entry) in entries.enumerated() {
            // The wrapper has no path that patterns speak of.
            if entry.root != .wrapper, excluded.take(entry.path, isDirectory: entry.kind == .directory, pattern: entry.path) {
                continue
            }
            kept.entries.append(entry)
            numbers.append(UInt32(number))
        }
        kept.content = SelectedContent(content, numbers: numbers)
        kept.omitted =
            excluded.matched.map { Omission(path: $0.bytes, reason: options.reason(forLeavingOut: $0.bytes)) } + omitted
        kept.wantedOmissions += excluded.matched.count
        return kept
    }

    /// The container with only some of its entries.
    func selecting(_ numbers: [UInt32]) -> OpenedContainer {
        if numbers.count == entries.count { return self }
        var selected = self
        selected.entries = numbers.map { entries[Int($0)] }
        selected.withoutModes = Set(numbers.indices.filter { withoutModes.contains(Int(numbers[$0])) })
        // A live container's files are found by their paths, not by numbers.
        if let content = content as? any PiecewiseContent { selected.content = SelectedContent(content, numbers: numbers) }
        return selected
    }
}
