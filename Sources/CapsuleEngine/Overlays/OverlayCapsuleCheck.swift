import CapsuleCore
import CapsuleHashing

/// Whether what an overlay capsule carries is what its document needs (docs/format.md, section 15).
struct OverlayCapsuleCheck {
    /// Something that is not as it should be, about a path of the tree where it is about one.
    typealias Problem = (path: RelativePath?, message: String)

    private let overlay: Overlay
    private let entries: [TreeEntry]
    /// The sizes of what is carried, by digest.
    private let sizes: [ContentDigest: UInt64]
    private static let emptyDigest = SHA256Hasher.digest(of: [])

    /// - Parameter entries: of the index.
    init(_ overlay: Overlay, entries: [TreeEntry]) {
        self.overlay = overlay
        self.entries = entries
        var sizes: [ContentDigest: UInt64] = [:]
        for entry in entries where entry.kind == .file { sizes[entry.digest] = entry.size }
        self.sizes = sizes
    }

    /// The first problem; nil if there is none.
    func problem() -> Problem? {
        var named: Set<ContentDigest> = []
        var whole: [RelativePath: (digest: ContentDigest, size: UInt64)] = [:]
        for record in overlay.files {
            if let message = problem(of: record, &named) { return (record.path, message) }
            if let new = record.new?.content, new.recipe == nil { whole[record.path] = (new.digest, new.size) }
        }
        for entry in entries {
            switch entry.root {
            case .carried:
                guard named.contains(entry.digest) else { return (nil, "no record uses the content \(entry.digest)") }
            case .wrapper:
                guard entry.kind == .directory else { return (entry.path, "an overlay can't have this entry") }
            default:
                if entry.kind == .directory { continue }
                guard entry.kind == .file, let content = whole[entry.path], content.digest == entry.digest,
                    content.size == entry.size
                else { return (entry.path, "no record creates this file") }
            }
        }
        return nil
    }

    private func problem(of record: FileRecord, _ named: inout Set<ContentDigest>) -> String? {
        let (old, new) = (record.old?.content, record.new?.content)
        for (content, other, isNew) in [(old, new, false), (new, old, true)] {
            guard let content else { continue }
            if let size = sizes[content.digest], size != content.size { return "a content's size differs from its record" }
            named.insert(content.digest)
            if let recipe = content.recipe {
                if let message = recipe.problem(makingUp: content.size, of: other?.size) {
                    return "the recipe is not valid: \(message)"
                }
                guard let carried = recipe.carriedSize, has(recipe.carried, carried) else {
                    return "the overlay does not contain what the recipe needs"
                }
                named.insert(recipe.carried)
            } else if isNew, old?.digest != content.digest, !has(content.digest, content.size) {
                return "the overlay does not contain the new content"
            }
        }
        return nil
    }

    private func has(_ digest: ContentDigest, _ size: UInt64) -> Bool {
        size == 0 ? digest == Self.emptyDigest : sizes[digest] == size
    }
}
