import CapsuleCore
import CapsulePropertyList

/// Gives the bytes that an overlay carries for its records, by their digests.
protocol CarriedContents: Sendable {
    /// Opens a content: a whole file's, or the carried stretches of a recipe, one behind the other.
    ///
    /// Whoever reads it compares the digest of what comes.
    /// - Returns: nil if the overlay does not carry it.
    func open(_ digest: ContentDigest, size: UInt64) throws(CapsuleError) -> (any OpenContent)?

    /// Whether ``open(_:size:)`` gives a content.
    func has(_ digest: ContentDigest, size: UInt64) -> Bool
}

extension CarriedContents {
    func has(_ digest: ContentDigest, size: UInt64) -> Bool { (try? open(digest, size: size)) != nil }
}

/// An overlay with the bytes that it carries.
struct OverlayPackage: Sendable {
    var overlay: Overlay
    /// nil where it carries none: then it is a document alone.
    var contents: (any CarriedContents)?
    /// What the containers are that it was made of: NAME, layout, bundle identifier; nil for a document.
    var origin: Origin?

    /// What the manifest of an overlay capsule says of the containers that the overlay was made of.
    struct Origin: Sendable {
        var name: [UInt8]
        var source: SourceDescription
        var layout: ContainerLayout
        var groups: [[UInt8]]
    }
}
