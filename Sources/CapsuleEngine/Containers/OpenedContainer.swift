import CapsuleCore

/// A container that was found, understood and listed; its files' bytes can be read.
struct OpenedContainer: Sendable {
    /// Its name: what stands before `.xcappdata`.
    var name: [UInt8]
    var layout: ContainerLayout
    var source: SourceDescription
    /// The app groups' identifiers, by bytes.
    var groups: [[UInt8]]
    /// In the order of the index. A live file's digest and attributes are not known yet.
    var entries: [TreeEntry]
    /// Whether the entries' digests and attributes are known.
    var isDigested: Bool
    var content: any ContentProvider
    /// What can't be, or was not, taken over.
    var omitted: [Omission]
    /// How many of ``omitted`` the user asked for.
    var wantedOmissions: Int
    /// What it was taken for, and why, in words.
    var evidence: [String]
}

extension OpenedContainer {
    /// Without what the options leave out, for containers that were listed without them.
    func filtered(_ options: ContainerOptions) throws(CapsuleError) -> OpenedContainer {
        guard options.groups.isEmpty else {
            throw CapsuleError(.usage, "an archive has the app groups that it has", hint: "'--group' is for live containers")
        }
        if options.excluded.isEmpty { return self }
        throw CapsuleError(.usage, "only a live container can be packed in part", hint: "unpack it, then pack with '--exclude'")
    }
}
