/// Reads property lists of any encoding.
///
/// Nothing is trusted: depth, size, counts, offsets and characters are checked, and what is wrong is reported with its
/// place. XML and binary are read so far. (design: plist.md)
public enum PlistReader {
    /// The value of a document and the encoding it was in. A key that comes twice in a dictionary is an error.
    public static func read(
        _ bytes: [UInt8], limits: PlistLimits = .standard
    ) throws(PlistError) -> (value: PlistValue, format: PlistFormat) {
        let result = try withBytes(bytes) { buffer throws(PlistError) in
            try read(buffer, limits: limits, isLenient: false)
        }
        return (result.value, result.format)
    }

    /// The value of a document and the encoding it was in. A key that comes twice in a dictionary is an error.
    public static func read(
        _ bytes: UnsafeRawBufferPointer, limits: PlistLimits = .standard
    ) throws(PlistError) -> (value: PlistValue, format: PlistFormat) {
        let result = try read(bytes, limits: limits, isLenient: false)
        return (result.value, result.format)
    }

    /// The same, but of a key that comes twice the last value is kept, in the first one's place, and a warning
    /// (`duplicateKey`, with both places) is handed back for each.
    public static func readLeniently(
        _ bytes: [UInt8], limits: PlistLimits = .standard
    ) throws(PlistError) -> (value: PlistValue, format: PlistFormat, warnings: [PlistError]) {
        try withBytes(bytes) { buffer throws(PlistError) in
            try read(buffer, limits: limits, isLenient: true)
        }
    }

    /// The same, but of a key that comes twice the last value is kept, and a warning is handed back for each.
    public static func readLeniently(
        _ bytes: UnsafeRawBufferPointer, limits: PlistLimits = .standard
    ) throws(PlistError) -> (value: PlistValue, format: PlistFormat, warnings: [PlistError]) {
        try read(bytes, limits: limits, isLenient: true)
    }

    private typealias Reading = (value: PlistValue, format: PlistFormat, warnings: [PlistError])

    private static func read(
        _ bytes: UnsafeRawBufferPointer, limits: PlistLimits, isLenient: Bool
    ) throws(PlistError) -> Reading {
        guard bytes.count <= limits.documentBytes else {
            throw PlistError(.limitExceeded, "the property list is larger than \(limits.documentBytes) bytes")
        }
        let duplicates = PlistDuplicateKeys(isLenient: isLenient, limits: limits)
        switch PlistFormat.sniff(bytes) {
        case .binary:
            let reader = try BinaryPlistReader(bytes, limits: limits, duplicates: duplicates)
            let (value, warnings) = try reader.read()
            return (value, .binary, warnings)
        case .xml:
            let (value, warnings) = try readXML(bytes, limits: limits, duplicates: duplicates)
            return (value, .xml, warnings)
        case .json, .openStep, nil:
            throw PlistError(.notPropertyList, bytes.isEmpty ? "not a property list: empty" : "not a property list")
        }
    }

    private static func readXML(
        _ bytes: UnsafeRawBufferPointer, limits: PlistLimits, duplicates: PlistDuplicateKeys
    ) throws(PlistError) -> (value: PlistValue, warnings: [PlistError]) {
        let (encoding, markBytes) = PlistTextEncoding.detect(bytes)
        if encoding == .utf8 {
            let text = UnsafeRawBufferPointer(rebasing: bytes[markBytes...])
            return try XMLPlistReader(text, limits: limits, duplicates: duplicates).read()
        }
        let text = try encoding.transcode(bytes, from: markBytes)
        return try withBytes(text) { buffer throws(PlistError) in
            try XMLPlistReader(buffer, limits: limits, duplicates: duplicates).read()
        }
    }

    /// `Array.withUnsafeBytes`, which can't throw a typed error itself.
    static func withBytes<Value>(
        _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(PlistError) -> Value
    ) throws(PlistError) -> Value {
        let result: Result<Value, PlistError> = bytes.withUnsafeBytes { buffer in
            do throws(PlistError) {
                return .success(try body(buffer))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
