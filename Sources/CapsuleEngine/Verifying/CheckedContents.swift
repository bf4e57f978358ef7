import CapsuleArchive
import CapsuleCore

/// What came of contents that were read: versions share most of theirs, and the same bytes make the same digest.
struct CheckedContents {
    /// A content, and all the places that it is made of.
    private struct Content: Hashable {
        let digest: ContentDigest
        let extents: [StoredExtent]

        init(_ version: StoredVersion, _ number: Int) {
            digest = version.entries[number].digest
            extents = version.content.extents(of: number).map { placed in
                StoredExtent(member: placed.member, inner: placed.extent.inner, length: placed.extent.length)
            }
        }
    }

    /// What is wrong with each; nil for nothing.
    private var messages: [Content: String?] = [:]

    /// Whether an entry's content was read before, in whatever version.
    func has(_ version: StoredVersion, _ number: Int) -> Bool { messages.keys.contains(Content(version, number)) }

    /// Notes what came of an entry's content.
    mutating func note(_ version: StoredVersion, _ number: Int, _ message: String?) {
        messages.updateValue(message, forKey: Content(version, number))
    }

    /// What is wrong with an entry's content; nil for nothing, and for an entry without any.
    func message(_ version: StoredVersion, _ number: Int) -> String? {
        version.entries[number].kind.hasContent ? messages[Content(version, number)] ?? nil : nil
    }
}
