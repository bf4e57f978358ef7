import CapsuleCore

/// The contents of an overlay that is being made: they are read where they are.
struct BuiltContents: CarriedContents {
    /// One of them.
    struct Content: Sendable {
        let digest: ContentDigest
        let size: UInt64
        let open: @Sendable () throws(CapsuleError) -> any OpenContent
    }

    private var contents: [ContentDigest: Content] = [:]

    init(_ contents: some Sequence<Content>) {
        for content in contents where self.contents[content.digest] == nil { self.contents[content.digest] = content }
    }

    func open(_ digest: ContentDigest, size: UInt64) throws(CapsuleError) -> (any OpenContent)? {
        guard has(digest, size: size) else { return nil }
        return try contents[digest]?.open()
    }

    func has(_ digest: ContentDigest, size: UInt64) -> Bool { contents[digest]?.size == size }
}
