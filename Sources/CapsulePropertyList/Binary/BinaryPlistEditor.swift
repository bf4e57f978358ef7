/// Minimal edits of binary property lists.
///
/// Objects that stay keep their order, and their bytes but for the numbers that refer to other objects. New objects follow,
/// and those that nothing refers to any more go.
public enum BinaryPlistEditor {
    /// The document with another value; the same bytes if it holds an equal one already.
    ///
    /// Dictionaries that are changed have their keys in the value's order, those that are equal to old ones keep theirs. Of a
    /// key that the document has twice the last value counts. Throws what reading the document and writing the value do.
    public static func bytes(
        _ document: [UInt8], holding value: PlistValue, limits: PlistLimits = .standard
    ) throws(PlistError) -> [UInt8] {
        let result: Result<[UInt8]?, PlistError> = document.withUnsafeBytes { bytes in
            do throws(PlistError) {
                return .success(try edit(bytes, value, limits: limits))
            } catch {
                return .failure(error)
            }
        }
        return try result.get() ?? document
    }

    /// Nil if nothing changes.
    private static func edit(
        _ bytes: UnsafeRawBufferPointer, _ value: PlistValue, limits: PlistLimits
    ) throws(PlistError) -> [UInt8]? {
        guard bytes.count <= limits.documentBytes else {
            throw PlistError(.limitExceeded, "the property list is larger than \(limits.documentBytes) bytes")
        }
        let objects = try BinaryPlistObjects(bytes, limits: limits)
        var match = try BinaryPlistMatch(objects, limits: limits)
        guard try match.follow(value) else { return nil }
        return try BinaryPlistRevision(match).bytes(limits: limits)
    }
}
