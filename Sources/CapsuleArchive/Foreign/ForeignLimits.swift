import CapsuleCore

/// What a foreign archive may make of itself: hostile input ends in an error within bounded time, memory and disk.
enum ForeignLimits {
    /// What any archive may expand to, in bytes, however short it is.
    static let expansionFloor: UInt64 = 8 << 30
    /// How many times its own length a longer archive may expand to. Text seldom reaches 20, gzip of zeros 1,000.
    static let expansionRatio: UInt64 = 200
    /// What all files may have in size together, holes included: zeros take no room, but each is hashed. 5 GiB of holes is a
    /// disk image, terabytes are an attack.
    static let apparentFloor: UInt64 = 32 << 30
    /// What one entry's headers may take, in bytes: long names, attributes, and the map of a file with a million holes.
    static let headerLength: UInt64 = 32 << 20
    /// Names, targets and attributes of all entries together, in bytes; they are held in memory.
    static let listingLength = 1 << 30
    /// The longest name of an attribute, in bytes, as Linux has it.
    static let attributeNameLength = 255
    /// Shorter stretches of zeros are stored as they are, so that no file has more runs than it has such stretches.
    static let shortestHole: UInt64 = 4_096

    /// What an archive of a given length may expand to.
    static func expansion(of length: UInt64) -> UInt64 {
        max(expansionFloor, times(length, expansionRatio))
    }

    /// What the files of an archive of a given length may have in size together.
    static func apparentSize(of length: UInt64) -> UInt64 {
        max(apparentFloor, times(length, expansionRatio))
    }

    static func expansionError(of file: CapsuleFile, _ path: HostPath) -> ArchiveError {
        ArchiveError(
            .limit,
            "expands to more than \(expansion(of: file.length) >> 30) GiB, too much for an archive of \(file.length) bytes",
            path: path)
    }

    private static func times(_ length: UInt64, _ ratio: UInt64) -> UInt64 {
        let (product, overflow) = length.multipliedReportingOverflow(by: ratio)
        return overflow ? UInt64.max : product
    }
}
