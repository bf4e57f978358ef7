/// What a capsule may hold at most (docs/format.md, section 13); paths and values have theirs in CapsuleCore.
package enum CapsuleLimits {
    package static let entries: UInt64 = 10_000_000
    /// The sizes of all files of a version together, in bytes: twice what any device of today stores. A hole takes no room in a
    /// file, so without a limit a few bytes could ask for years of digesting.
    package static let versionLength: UInt64 = 4 << 40
    /// All blocks of a version's index together, in bytes as ``IndexBlock/length`` counts them.
    package static let indexLength: UInt64 = 2 << 30
    /// One index block, raw and as ``IndexBlock/length`` counts it: room for 2,048 entries of which each has the longest path
    /// and target, and all the attributes that an entry may have.
    package static let indexBlockLength: UInt64 = 256 << 20
    /// A raw index root: room for the blocks of 10 million entries with the longest paths.
    static let indexRootLength: UInt64 = 128 << 20
    /// The shortest run of zeros that is stored nowhere, in bytes.
    static let zerosLength: UInt64 = 64 << 10
    /// What a data member holds once it is decompressed.
    static let memberRawLength = 1 << 20
    /// What a data member takes in the file: incompressible bytes grow a little.
    package static let memberStoredLength = memberRawLength + (memberRawLength >> 6) + 1_024
    /// What one metadata member carries of its payload.
    static let pieceLength = 65_000
}
