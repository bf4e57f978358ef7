import CapsuleCore

/// The contents of several overlays together: what any of them carries.
struct JoinedContents: CarriedContents {
    private let parts: [any CarriedContents]

    /// nil for no contents at all.
    init?(_ parts: [(any CarriedContents)?]) {
        self.parts = parts.compactMap { $0 }
        if self.parts.isEmpty { return nil }
    }

    func open(_ digest: ContentDigest, size: UInt64) throws(CapsuleError) -> (any OpenContent)? {
        for part in parts {
            if let content = try part.open(digest, size: size) { return content }
        }
        return nil
    }

    func has(_ digest: ContentDigest, size: UInt64) -> Bool { parts.contains { $0.has(digest, size: size) } }
}
