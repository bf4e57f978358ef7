/// A property list in a file: its value and its bytes. An edited value can be written back so that only the changed parts of a text
/// are rewritten.
package struct PlistDocument: Sendable {
    package let bytes: [UInt8]
    package let format: PlistFormat
    package let value: PlistValue
    package let warnings: [PlistError]

    /// Reads a document in one of the accepted encodings. JSON is read literally, without ``JSONPlistOptions/typed``.
    /// If a key occurs twice in a dictionary in XML or OpenStep, the last value is kept, as by Apple's parsers, with a warning that
    /// has both places. In other encodings this is an error, unless `isLenient` is true. Documents in Capsule's own formats are read by
    /// ``PlistReader``, which treats it as an error in every encoding.
    package static func read(
        _ bytes: [UInt8], accepting formats: Set<PlistFormat> = PlistFormat.all, limits: PlistLimits = .standard,
        isLenient: Bool = false
    ) throws(PlistError) -> PlistDocument {
        let (value, format, warnings) = try PlistReader.read(
            bytes, accepting: formats, limits: limits, duplicates: isLenient ? .last : .lastAsByApple)
        return PlistDocument(bytes: bytes, format: format, value: value, warnings: warnings)
    }

    /// Reads a document as ``read`` does leniently, and repairs what it can: control characters in XML, unpaired surrogates,
    /// ISO-8859-1, NUL characters at the end and integers beyond 64 bits. Each repair has a warning. The document's bytes are
    /// those of the repaired text.
    package static func repairing(_ bytes: [UInt8], limits: PlistLimits = .standard) throws(PlistError) -> PlistDocument {
        let repairs = PlistRepairs(limit: limits.warnings)
        let bytes = repairs.bytes(of: bytes)
        let (value, format, warnings) = try PlistReader.read(
            bytes, accepting: PlistFormat.all, limits: limits, duplicates: .repaired(repairs))
        return PlistDocument(bytes: bytes, format: format, value: value, warnings: repairs.warnings + warnings)
    }
}

extension PlistDocument {
    /// Returns the document's bytes with another value. An equal value gives exactly the same bytes. Another value is written anew
    /// in a binary document.
    ///
    /// In a text document, everything but the differences is preserved to the byte: comments, key order, indentation, the spelling of entities,
    /// line ends, byte order mark, encoding, document type and the final newline.
    /// - A changed scalar keeps its place. If its type stays the same, only its text is replaced. A container in place of a scalar,
    ///   or the reverse, replaces the entire element.
    /// - New keys are added at the end of their dictionary, or in a string catalog where the order of its keys puts them, and new elements at their position. Both are indented like their
    ///   neighbors, or are on the same line if their neighbors are.
    /// - A removed item is removed with its lines and the comments on them. Comments and empty lines before it are kept. An emptied
    ///   container keeps its two tags or brackets.
    /// - Array elements that change places take the comments and empty lines before them along.
    /// - The order of the new value's keys doesn't matter.
    /// - If a key occurs twice in a document that was read leniently, its last value is edited. If the key is removed, all its
    ///   occurrences are.
    package func bytes(holding value: PlistValue, limits: PlistLimits = .standard) throws(PlistError) -> [UInt8] {
        if value == self.value { return bytes }
        let old = self.value
        let isCatalog = StringCatalog.isCatalog(old)
        return switch format {
        case .xml:
            try bytesOfText(limits: limits) { text, mark throws(PlistError) in
                try TextPlistEditor.edit(XMLPlistSyntax(text, limits: limits), from: old, to: value, after: mark)
            }
        case .json:
            try bytesOfText(limits: limits) { text, mark throws(PlistError) in
                try TextPlistEditor.edit(
                    JSONPlistSyntax(text, limits: limits, isCatalog: isCatalog), from: old, to: value, after: mark,
                    sortedBy: isCatalog ? { StringCatalog.precedes($0, $1) } : nil)
            }
        case .openStep:
            try bytesOfText(limits: limits) { text, mark throws(PlistError) in
                try TextPlistEditor.edit(OpenStepPlistSyntax(text, limits: limits), from: old, to: value, after: mark)
            }
        case .binary: try BinaryPlistWriter.write(value, limits: limits)
        }
    }

    /// Calls `edit` with the document's text as UTF-8 without its byte order mark, and converts the edited text, which follows
    /// `mark`, to the document's encoding.
    private func bytesOfText(
        limits: PlistLimits,
        _ edit: (_ text: UnsafeRawBufferPointer, _ mark: UnsafeRawBufferPointer) throws(PlistError) -> [UInt8]
    ) throws(PlistError) -> [UInt8] {
        try withText { text, mark, encoding throws(PlistError) in
            if encoding == .utf8 { return try edit(text, mark) }
            let edited = try edit(text, UnsafeRawBufferPointer(start: nil, count: 0))
            let bytes = encoding.encode(utf8: edited, after: mark)
            guard bytes.count <= limits.outputBytes else { throw TextPlistEdits.tooLarge(limits) }
            return bytes
        }
    }

    func withText<Value>(
        _ body: (
            _ text: UnsafeRawBufferPointer, _ mark: UnsafeRawBufferPointer, _ encoding: PlistTextEncoding
        ) throws(PlistError) -> Value
    ) throws(PlistError) -> Value {
        try PlistReader.withBytes(bytes) { buffer throws(PlistError) in
            let (encoding, markBytes) = PlistTextEncoding.detect(buffer)
            let mark = UnsafeRawBufferPointer(rebasing: buffer[..<markBytes])
            if encoding == .utf8 { return try body(UnsafeRawBufferPointer(rebasing: buffer[markBytes...]), mark, encoding) }
            let utf8 = try encoding.transcode(buffer, from: markBytes)
            return try PlistReader.withBytes(utf8) { text throws(PlistError) in try body(text, mark, encoding) }
        }
    }
}

/// The text of a property list in XML, OpenStep or JSON, decoded to UTF-8.
package struct PlistText: Hashable, Sendable {
    /// The character encoding of a document, with or without a byte order mark.
    package struct Encoding: Hashable, Sendable {
        let encoding: PlistTextEncoding
        let hasMark: Bool
        package static let standard = Encoding(encoding: .utf8, hasMark: false)

        /// The name of the encoding, such as `utf-8` or `utf-16le`, with the suffix `-bom` if there is a byte order mark.
        package var name: String {
            let name =
                switch encoding {
                case .utf8: "utf-8"
                case .utf16(let isBigEndian): isBigEndian ? "utf-16be" : "utf-16le"
                case .utf32(let isBigEndian): isBigEndian ? "utf-32be" : "utf-32le"
                }
            return hasMark ? name + "-bom" : name
        }

        package func bytes(of utf8: [UInt8]) -> [UInt8] {
            let mark: [UInt8] = hasMark ? [0xEF, 0xBB, 0xBF] : []
            return encoding.encode(utf8: mark + utf8, after: UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// The entire text in UTF-8, without the byte order mark.
    package let utf8: [UInt8]
    package let encoding: Encoding
}

extension PlistDocument {
    package var text: PlistText? {
        guard format != .binary else { return nil }
        return try? withText { text, mark, encoding throws(PlistError) in
            PlistText(utf8: [UInt8](text), encoding: PlistText.Encoding(encoding: encoding, hasMark: !mark.isEmpty))
        }
    }
}

/// Reads property lists in any encoding.
/// The reader trusts nothing: it checks depth, size, counts, offsets and characters, and reports errors with their positions.
/// The encoding is detected as in `PlistFormat.sniff`, but a document that is a single scalar is also read: as JSON if it is valid
/// JSON, or else as OpenStep if it is in quotation marks. A document of only space and comments is an empty dictionary in OpenStep,
/// and one without any text is an error, as in Apple's parsers (CFOldStylePList.c, CFPropertyList.c). If JSON or OpenStep is the
/// only accepted encoding, nothing is detected: the document is read in that encoding, and an error says where it is invalid.
package enum PlistReader {
    /// Reads a document. Returns its value and its encoding. A key that occurs twice in a dictionary is an error.
    package static func read(
        _ bytes: [UInt8], accepting formats: Set<PlistFormat> = PlistFormat.all, json: JSONPlistOptions = [],
        limits: PlistLimits = .standard
    ) throws(PlistError) -> (value: PlistValue, format: PlistFormat) {
        let result = try read(bytes, accepting: formats, json: json, limits: limits, duplicates: .refused)
        return (result.value, result.format)
    }

    /// Reads a document leniently. If a key occurs twice, its last value is kept, in the place of the first one, and a warning
    /// (`duplicateKey`, with both places) is returned for each.
    package static func readLeniently(
        _ bytes: [UInt8], accepting formats: Set<PlistFormat> = PlistFormat.all, limits: PlistLimits = .standard
    ) throws(PlistError) -> (value: PlistValue, format: PlistFormat, warnings: [PlistError]) {
        try read(bytes, accepting: formats, limits: limits, duplicates: .last)
    }

    static func read(
        _ bytes: [UInt8], accepting formats: Set<PlistFormat>, json: JSONPlistOptions = [], limits: PlistLimits,
        duplicates: PlistDuplicateKeys.Policy
    ) throws(PlistError) -> (value: PlistValue, format: PlistFormat, warnings: [PlistError]) {
        let reading = Reading(formats: formats, json: json, limits: limits, duplicates: duplicates)
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
        do throws(PlistError) {
            return try detected(bytes)
        } catch {
            throw error.code == .syntax || error.code == .notPropertyList ? Self.conflict(in: bytes) ?? error : error
        }
    }

    private func detected(_ bytes: UnsafeRawBufferPointer) throws(PlistError) -> Outcome {
        switch PlistFormatSniffer.look(at: bytes) {
        case .format(let format):
            return try read(bytes, as: format)
        case .jsonOrOpenStep:
            return try read(bytes, as: formats.contains(.openStep) && !formats.contains(.json) ? .openStep : .json)
        case .unknown:
            if let result = scalar(bytes) { return result }
            if formats.contains(.openStep), PlistFormatSniffer.beginsEntry(bytes) { return try read(bytes, as: .openStep) }
            let names = PlistFormat.allCases.filter { formats.contains($0) }.map { $0.name }.joined(separator: ", ")
            throw PlistError(
                .notPropertyList, bytes.isEmpty ? "not a property list: empty" : "not a property list",
                hint: "the encodings that are read here are \(names)")
        }
    }

    /// Returns the error for the first conflict mark that `git merge` left in a text; nil if there is none.
    private static func conflict(in bytes: UnsafeRawBufferPointer) -> PlistError? {
        var start = 0
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            if line.starts(with: "<<<<<<< ".utf8) {
                return PlistError(
                    .syntax, "a conflict mark of a merge", at: .inText(bytes, at: start), hint: "resolve the conflict first")
            }
            start += line.count + 1
        }
        return nil
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

    private func read(
        _ text: UnsafeRawBufferPointer, as format: PlistFormat, _ duplicates: PlistDuplicateKeys
    ) throws(PlistError) -> (value: PlistValue, warnings: [PlistError]) {
        switch format {
        case .json: try JSONPlistReader(text, options: json, limits: limits, duplicates: duplicates).read()
        case .openStep: try OpenStepPlistReader(text, limits: limits, duplicates: duplicates).read()
        case .xml, .binary: try XMLPlistReader(text, limits: limits, duplicates: duplicates).read()
        }
    }

    /// Returns the value of a document that is a single scalar, that begins with a quoted key, or that has only space and comments.
    /// Returns nil if it can't be read as such.
    private func scalar(_ bytes: UnsafeRawBufferPointer) -> Outcome? {
        if formats.contains(.json), let result = try? read(bytes, as: .json) { return result }
        guard formats.contains(.openStep) else { return nil }
        let (encoding, markBytes) = PlistTextEncoding.detect(bytes)
        guard bytes.count > markBytes else { return nil }
        var units = encoding.units(of: bytes, from: markBytes)
        var first: UInt8?
        repeat { first = units.next().map { UInt8(exactly: $0) ?? 0x80 } } while first.map(OpenStepCharacters.isSpace) == true
        let isQuote = first.map(OpenStepCharacters.isQuote) == true
        guard isQuote || first == nil || first == UInt8(ascii: "/") else { return nil }
        guard let result = try? read(bytes, as: .openStep), isQuote || result.value == [:] else { return nil }
        return result
    }
}

extension PlistRepairs {
    /// Returns a document without NUL characters at its end, and in UTF-8 if it is in ISO-8859-1 or contains encoded surrogates.
    fileprivate func bytes(of document: [UInt8]) -> [UInt8] {
        if document.starts(with: "bplist".utf8) { return document }
        return document.withUnsafeBytes { all in
            let encoding = PlistTextEncoding.detect(all).encoding
            var end = all.count
            let unit = encoding.unitBytes
            while end >= unit, all[end - unit..<end].allSatisfy({ $0 == 0 }) { end -= unit }
            let bytes = UnsafeRawBufferPointer(rebasing: all[..<end])
            if end < all.count {
                add(PlistError(.syntax, "NUL characters at the end, which are left out", at: .inText(all, at: end)), readAs: nil)
            }
            return encoding == .utf8 ? utf8(bytes) : Array(bytes)
        }
    }

    private func utf8(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        // The scanner finds the declared encoding. It may fail after that.
        var scanner = XMLPlistScanner(bytes)
        _ = try? scanner.next()
        let declared = scanner.declaredEncoding
        let isLatin = declared.map { String(decoding: scanner.slice($0), as: UTF8.self).uppercased() == "ISO-8859-1" } ?? false
        let invalid = UTF8Sequence.firstInvalid(in: bytes, bytes.indices)
        guard let place = isLatin ? bytes.firstIndex(where: { $0 >= 0x80 }) : invalid else { return Array(bytes) }
        let hasSurrogates = !isLatin && bytes[place] == 0xED
        add(
            PlistError(.encoding, "not valid UTF-8", at: .inText(bytes, at: place)),
            readAs: hasSurrogates ? "U+FFFD" : "ISO-8859-1")
        if hasSurrogates { return Array(String(decoding: bytes, as: UTF8.self).utf8) }
        var text = Array(bytes)
        if isLatin, let declared { text.replaceSubrange(declared, with: "UTF-8".utf8) }
        return text.flatMap { Array(String(Unicode.Scalar($0)).utf8) }
    }
}
