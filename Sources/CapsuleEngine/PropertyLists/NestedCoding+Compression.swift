import CapsuleArchive
public import CapsulePropertyList

extension NestedCoding {
    /// Bytes that compressed data may hold.
    private static let inflatedBytes = 1 << 28

    /// All that pointers can look into, `<zlib>` too.
    public static let compressing = NestedCoding(
        inflate: { data, limit in CompressedData.inflate(data, limit: min(limit, inflatedBytes)) },
        deflate: { bytes, data in CompressedData.deflate(bytes, like: data) })
}
