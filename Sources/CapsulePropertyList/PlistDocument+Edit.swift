extension PlistDocument {
    /// The bytes of the document with another value: only what differs is rewritten, and an equal value gives the very
    /// same bytes.
    ///
    /// In text everything else stays to the byte: comments, the order of keys, indentation, the spelling of entities,
    /// line ends, byte order mark, encoding, document type and the newline at the end.
    /// - A scalar that changes keeps its place; if its type stays the same, only its text is replaced. A container in
    ///   place of a scalar, or a scalar in place of a container, replaces the whole element.
    /// - New keys go to the end of their dictionary, new elements to where they belong, both as their neighbours are
    ///   indented, or on the same line if their neighbours are.
    /// - What is removed goes with its line, or lines, and the comments on them. Comments and empty lines before it stay.
    ///   An emptied container keeps its two tags or brackets.
    /// - Elements of an array that change places take along the comments and empty lines before them.
    /// - The order of the new value's keys does not matter.
    /// - Of a key that comes twice in a document read leniently, the last value is the one that is edited; if the key is
    ///   removed, all of it goes.
    ///
    /// Throws `notRepresentable`, with the pointer, for a value that the document's encoding can't hold, and
    /// `limitExceeded` for too much output or depth.
    public func bytes(holding value: PlistValue, limits: PlistLimits = .standard) throws(PlistError) -> [UInt8] {
        if value == self.value { return bytes }
        switch format {
        case .xml:
            return try bytesOfText(limits: limits) { text, mark throws(PlistError) in
                let syntax = try XMLPlistSyntax(text, limits: limits)
                return try TextPlistEditor.edit(syntax, from: self.value, to: value, after: mark)
            }
        case .json:
            return try bytesOfText(limits: limits) { text, mark throws(PlistError) in
                let syntax = try JSONPlistSyntax(text, limits: limits)
                return try TextPlistEditor.edit(syntax, from: self.value, to: value, after: mark)
            }
        case .openStep:
            return try bytesOfText(limits: limits) { text, mark throws(PlistError) in
                let syntax = try OpenStepPlistSyntax(text, limits: limits)
                return try TextPlistEditor.edit(syntax, from: self.value, to: value, after: mark)
            }
        case .binary:
            return try BinaryPlistEditor.bytes(bytes, holding: value, limits: limits)
        }
    }

    /// Hands over the document's text as UTF-8 without its byte order mark, and puts the edited text, which follows
    /// `mark`, back into the document's encoding.
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

    /// Hands over the document's text as UTF-8 without its byte order mark, the mark, and the encoding it is in.
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
