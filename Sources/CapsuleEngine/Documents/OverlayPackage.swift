import CapsuleArchive
import CapsuleContainers
import CapsuleCore
import CapsuleHashing
import CapsuleOverlay
import CapsulePropertyList

/// A source of the bytes that an overlay carries for its records, by digest.
protocol OverlayPayload: Sendable {
    /// Opens a content: a complete file, or the carried ranges of a recipe, concatenated. The caller must compare the digest of
    /// the bytes.
    /// - Returns: nil if the overlay does not carry the content.
    func open(_ digest: ContentDigest, size: UInt64) throws(CapsuleError) -> (any OpenContent)?
    func has(_ digest: ContentDigest, size: UInt64) -> Bool
}

extension OverlayPayload {
    func has(_ digest: ContentDigest, size: UInt64) -> Bool { (try? open(digest, size: size)) != nil }
}

/// An overlay together with the bytes that it carries.
struct OverlayPackage: Sendable {
    var overlay: Overlay
    /// The carried bytes; nil for an overlay that is only a document.
    var contents: (any OverlayPayload)?
    /// The description of the containers that the overlay was made from; nil for a document.
    var origin: Origin?

    /// The part of an overlay capsule's manifest that describes the containers that the overlay was made from.
    struct Origin: Sendable {
        var name: [UInt8]
        var source: SourceDescription
        var layout: ContainerLayout
        var groups: [[UInt8]]
    }
}

extension OverlayPackage {
    init(_ capsule: CapsuleReader, _ selector: VersionSelector = .latest) throws(CapsuleError) {
        let version = try StoredVersion(capsule, selector)
        let overlay = try Self.overlay(of: version)
        if let (path, message) = OverlayCapsuleCheck(overlay, entries: version.entries).problem() {
            throw CapsuleError(
                path.map { "\(message) (\($0))" } ?? message, path: capsule.file.path,
                hint: capsule.file.path.verifyHint)
        }
        let manifest = version.manifest
        self.init(
            overlay: overlay, contents: CapsulePayload(version),
            origin: Origin(
                name: manifest.name, source: manifest.source, layout: manifest.layout, groups: manifest.groups))
    }

    static func overlay(of version: StoredVersion) throws(CapsuleError) -> Overlay {
        try overlay(of: version.manifest, in: version.capsule.file.path)
    }

    static func overlay(of manifest: Manifest, in path: HostPath) throws(CapsuleError) -> Overlay {
        guard let document = manifest.overlay else {
            throw CapsuleError("is a container, not an overlay", path: path)
        }
        do throws(OverlayError) {
            return try Overlay(document, format: .xml)
        } catch {
            let place = error.source.map { $0.isRoot ? "" : " (at \($0))" } ?? ""
            throw CapsuleError("the overlay can't be read: \(error.message)\(place)", path: path, hint: error.hint)
        }
    }
}

/// The contents that an overlay capsule carries.
private struct CapsulePayload: OverlayPayload {
    private let version: StoredVersion
    private let places: [ContentDigest: Int]

    init(_ version: StoredVersion) {
        self.version = version
        var places: [ContentDigest: Int] = [:]
        for (place, entry) in version.entries.enumerated() where entry.kind == .file {
            if places[entry.digest] == nil { places[entry.digest] = place }
        }
        self.places = places
    }

    func open(_ digest: ContentDigest, size: UInt64) throws(CapsuleError) -> (any OpenContent)? {
        guard let place = places[digest], version.entries[place].size == size else { return nil }
        return version.content.open(version.entries[place], number: place)
    }

    func has(_ digest: ContentDigest, size: UInt64) -> Bool {
        places[digest].map { version.entries[$0].size == size } ?? false
    }
}

/// Checks that an overlay capsule carries what its document needs (docs/format.md, section 15).
struct OverlayCapsuleCheck {
    typealias Problem = (path: RelativePath?, message: String)

    private let overlay: Overlay
    private let entries: [TreeEntry]
    private let sizes: [ContentDigest: UInt64]
    private static let emptyDigest = SHA256Hasher.digest(of: [])

    init(_ overlay: Overlay, entries: [TreeEntry]) {
        self.overlay = overlay
        self.entries = entries
        var sizes: [ContentDigest: UInt64] = [:]
        for entry in entries where entry.kind == .file { sizes[entry.digest] = entry.size }
        self.sizes = sizes
    }

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
