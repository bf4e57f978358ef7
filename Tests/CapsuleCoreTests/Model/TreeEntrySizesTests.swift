import CapsuleCore
import Testing

@Suite struct TreeEntrySizesTests {
    private static func files(_ sizes: [UInt64]) throws -> [TreeEntry] {
        try sizes.enumerated().map { number, size in
            TreeEntry(
                path: try RelativePath(validating: Array("f\(number)".utf8)), kind: .file, mode: FileMode(0o644),
                modified: Timestamp(seconds: 0), size: size)
        }
    }

    @Test func sizesAddUp() throws {
        #expect(try Self.files([]).totalSize == 0)
        #expect(try Self.files([1, 2, 3]).totalSize == 6)
    }

    /// Sizes whose sum is 2^64 and a few bytes must not count as a few bytes.
    @Test func sumBeyondAnyNumberIsNoSmallOne() throws {
        #expect(try Self.files([1 << 63, 1 << 63, 7]).totalSize == .max)
    }
}
