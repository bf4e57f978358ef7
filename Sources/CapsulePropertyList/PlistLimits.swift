/// How much a reader or writer takes on before it gives up with `PlistError.Code.limitExceeded`.
public struct PlistLimits: Hashable, Sendable {
    /// Containers around each other, the root included; from 0 to 4096.
    public var depth: Int {
        didSet { depth = Self.bounded(depth) }
    }
    /// Bytes of a document to be read.
    public var documentBytes: Int
    /// Objects in a binary property list, referred to or not.
    public var binaryObjects: Int
    /// Bytes of all keys of all dictionaries of a binary property list, a key counted again in every dictionary that
    /// refers to it: what finding duplicate keys has to look at.
    public var binaryKeyBytes: Int
    /// Bytes of a document to be written. Shared objects of a binary property list are written out wherever they are
    /// used, so that a few bytes read could become any number.
    public var outputBytes: Int
    /// Warnings kept of a lenient reading; one more says that there are others.
    public var warnings: Int

    /// 512 levels, documents of 1 GiB, 2^25 objects, 1 GiB of keys, 1 GiB of output, 64 warnings.
    public static let standard = PlistLimits()

    /// The standard limits but for those that are given; a depth outside of 0 to 4096 becomes the nearer of the two.
    public init(
        depth: Int = 512,
        documentBytes: Int = 1 << 30,
        binaryObjects: Int = 1 << 25,
        binaryKeyBytes: Int = 1 << 30,
        outputBytes: Int = 1 << 30,
        warnings: Int = 64
    ) {
        self.depth = Self.bounded(depth)
        self.documentBytes = documentBytes
        self.binaryObjects = binaryObjects
        self.binaryKeyBytes = binaryKeyBytes
        self.outputBytes = outputBytes
        self.warnings = warnings
    }

    /// Releasing a value takes stack for each level, so a much larger depth would not end well.
    private static func bounded(_ depth: Int) -> Int {
        min(max(depth, 0), 4096)
    }
}
