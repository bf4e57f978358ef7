/// Reads property lists in any encoding.
///
/// The reader trusts nothing: it checks depth, size, counts, offsets and characters, and reports errors with their positions.
///
/// The encoding is detected as in `PlistFormat.sniff`, but a document that is a single scalar is also read: as JSON if it is valid
/// JSON, or else as OpenStep if it is in quotation marks. If JSON or OpenStep is the only accepted encoding, nothing is detected:
/// the document is read in that encoding, and an error says where it is invalid.
public enum PlistReader {
    /// Reads a document. Returns its value and its encoding. A key that occurs twice in a dictionary is an error.
    ///
    /// - Throws: `notPropertyList` for an encoding that is not accepted, and other errors for an invalid document.
    public static func read(
        _ bytes: [UInt8], accepting formats: Set<PlistFormat> = PlistFormat.all, json: JSONPlistOptions = [],
        limits: PlistLimits = .standard
    ) throws(PlistError) -> (value: PlistValue, format: PlistFormat) {
        let reading = Reading(formats: formats, json: json, limits: limits, duplicates: .refused)
        let result = try withBytes(bytes) { buffer throws(PlistError) in try reading.read(buffer) }
        return (result.value, result.format)
    }

    /// Reads a document. Returns its value and its encoding. A key that occurs twice in a dictionary is an error.
    public static func read(
        _ bytes: UnsafeRawBufferPointer, accepting formats: Set<PlistFormat> = PlistFormat.all, json: JSONPlistOptions = [],
        limits: PlistLimits = .standard
    ) throws(PlistError) -> (value: PlistValue, format: PlistFormat) {
        let result = try Reading(formats: formats, json: json, limits: limits, duplicates: .refused).read(bytes)
        return (result.value, result.format)
    }

    /// Reads a document leniently. If a key occurs twice, its last value is kept, in the place of the first one, and a warning
    /// (`duplicateKey`, with both places) is returned for each.
    public static func readLeniently(
        _ bytes: [UInt8], accepting formats: Set<PlistFormat> = PlistFormat.all, json: JSONPlistOptions = [],
        limits: PlistLimits = .standard
    ) throws(PlistError) -> (value: PlistValue, format: PlistFormat, warnings: [PlistError]) {
        let reading = Reading(formats: formats, json: json, limits: limits, duplicates: .last)
        return try withBytes(bytes) { buffer throws(PlistError) in try reading.read(buffer) }
    }

    /// Reads a document leniently. If a key occurs twice, its last value is kept, and a warning is returned for each.
    public static func readLeniently(
        _ bytes: UnsafeRawBufferPointer, accepting formats: Set<PlistFormat> = PlistFormat.all, json: JSONPlistOptions = [],
        limits: PlistLimits = .standard
    ) throws(PlistError) -> (value: PlistValue, format: PlistFormat, warnings: [PlistError]) {
        try Reading(formats: formats, json: json, limits: limits, duplicates: .last).read(bytes)
    }

    /// Reads a document with a policy for keys that occur twice.
    static func read(
        _ bytes: [UInt8], accepting formats: Set<PlistFormat>, limits: PlistLimits, duplicates: PlistDuplicateKeys.Policy
    ) throws(PlistError) -> (value: PlistValue, format: PlistFormat, warnings: [PlistError]) {
        let reading = Reading(formats: formats, json: [], limits: limits, duplicates: duplicates)
        return try withBytes(bytes) { buffer throws(PlistError) in try reading.read(buffer) }
    }

    /// Calls `body` with the bytes, like `Array.withUnsafeBytes`, which can't throw typed errors.
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

/// The options for reading a document.
private struct Reading {
    typealias Outcome = (value: PlistValue, format: PlistFormat, warnings: [PlistError])

    let formats: Set<PlistFormat>
    let json: JSONPlistOptions
    let limits: PlistLimits
    let duplicates: PlistDuplicateKeys.Policy

    func read(_ bytes: UnsafeRawBufferPointer) throws(PlistError) -> Outcome {
        guard bytes.count <= limits.documentBytes else {
            throw PlistError(.limitExceeded, "the property list is larger than \(limits.documentBytes) bytes")
        }
        if formats.count == 1, let format = formats.first, format == .json || format == .openStep {
            return try read(bytes, as: format)
        }
        switch PlistFormatSniffer.look(at: bytes) {
        case .format(let format):
            return try read(bytes, as: format)
        case .jsonOrOpenStep:
            return try read(bytes, as: formats.contains(.openStep) && !formats.contains(.json) ? .openStep : .json)
        case .unknown:
            if let result = scalar(bytes) { return result }
            let names = PlistFormat.allCases.filter { formats.contains($0) }.map { $0.name }.joined(separator: ", ")
            throw PlistError(
                .notPropertyList, bytes.isEmpty ? "not a property list: empty" : "not a property list",
                hint: "the encodings that are read here are \(names)")
        }
    }

    private func read(_ bytes: UnsafeRawBufferPointer, as format: PlistFormat) throws(PlistError) -> Outcome {
        guard formats.contains(format) else {
            let names = PlistFormat.allCases.filter { formats.contains($0) }.map { $0.name }.joined(separator: " or ")
            throw PlistError(.notPropertyList, "expected a property list in \(names), found \(format.name)")
        }
        let duplicates = PlistDuplicateKeys(self.duplicates, in: format, limits: limits)
        let result: (value: PlistValue, warnings: [PlistError])
        if format == .binary {
            let trailer = try BinaryPlistTrailer(bytes, limits: limits)
            result = try BinaryPlistReader(bytes, trailer: trailer, limits: limits, duplicates: duplicates).read()
        } else {
            let (encoding, markBytes) = PlistTextEncoding.detect(bytes)
            if encoding == .utf8 {
                result = try read(UnsafeRawBufferPointer(rebasing: bytes[markBytes...]), as: format, duplicates)
            } else {
                let text = try encoding.transcode(bytes, from: markBytes)
                result = try PlistReader.withBytes(text) { buffer throws(PlistError) in try read(buffer, as: format, duplicates) }
            }
        }
        return (result.value, format, result.warnings)
    }

    /// Reads UTF-8 text without a byte order mark.
    private func read(
        _ text: UnsafeRawBufferPointer, as format: PlistFormat, _ duplicates: PlistDuplicateKeys
    ) throws(PlistError) -> (value: PlistValue, warnings: [PlistError]) {
        switch format {
        case .json: try JSONPlistReader(text, options: json, limits: limits, duplicates: duplicates).read()
        case .openStep: try OpenStepPlistReader(text, limits: limits, duplicates: duplicates).read()
        case .xml, .binary: try XMLPlistReader(text, limits: limits, duplicates: duplicates).read()
        }
    }

    /// Returns the value of a document that is a single scalar, or that begins with a quoted key. Returns nil if it can't be read
    /// as such.
    private func scalar(_ bytes: UnsafeRawBufferPointer) -> Outcome? {
        if formats.contains(.json), let result = try? read(bytes, as: .json) { return result }
        guard formats.contains(.openStep) else { return nil }
        let (encoding, markBytes) = PlistTextEncoding.detect(bytes)
        var units = encoding.units(of: bytes, from: markBytes)
        while let unit = units.next(), let byte = UInt8(exactly: unit), byte < 0x80 {
            guard OpenStepCharacters.isSpace(byte) else {
                return OpenStepCharacters.isQuote(byte) ? try? read(bytes, as: .openStep) : nil
            }
        }
        return nil
    }
}
