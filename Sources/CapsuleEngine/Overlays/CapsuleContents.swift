import CapsuleCore

/// The contents that an overlay capsule carries.
struct CapsuleContents: CarriedContents {
    private let version: StoredVersion
    /// The places of entries, by their contents.
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
