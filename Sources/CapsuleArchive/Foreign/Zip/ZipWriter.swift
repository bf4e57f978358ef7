package import CapsuleCore
package import CapsuleFileSystem

/// Writes a zip by hand (APPNOTE.TXT 6.3.10): libarchive's writer gets names wrong in the C locale.
///
/// Raw names, Unix modes and links, times to the second, zip64 where sizes need it, and no data descriptors. The same entries
/// give the same bytes. One thread.
package final class ZipWriter {
    /// Where the writer stands; what was appended later can be taken back.
    package struct Mark: Sendable {
        fileprivate let offset: UInt64
    }

    private let output: any MemberOutput
    private let buffer = ByteBuffer(capacity: ZipWriter.bufferLength)
    /// Where ``buffer`` goes.
    private var start: UInt64 = 0
    private let directory = ByteBuffer(capacity: 1 << 16)
    private var entries: UInt64 = 0
    private static let bufferLength = 1 << 20

    package init(output: any MemberOutput) {
        self.output = output
    }

    private var offset: UInt64 { start + UInt64(buffer.count) }

    /// Appends an entry whose bytes are all there.
    ///
    /// - Parameters:
    ///   - name: its path in the zip, a directory's with a closing `/`.
    ///   - content: what `bytes` are.
    package func append(
        _ entry: TreeEntry, name: [UInt8], _ content: ZipContent, _ bytes: UnsafeRawBufferPointer
    ) throws(FileSystemError) {
        let header = ZipHeader(entry, name: name, content, offset: offset)
        try write(header.local)
        try write(bytes)
        note(header)
    }

    /// Begins an entry whose bytes come piece by piece; its header is written once they are known.
    ///
    /// - Returns: where it begins, to take it back.
    package func begin(_ entry: TreeEntry, name: [UInt8]) throws(FileSystemError) -> Mark {
        try flush()
        let mark = Mark(offset: offset)
        var content = ZipContent(.deflated)
        content.size = entry.size
        // All headers of one entry have one length.
        try write(ZipHeader(entry, name: name, content, offset: offset).local)
        return mark
    }

    /// Appends a piece of the entry that began last.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
        try write(bytes)
    }

    /// Ends an entry that began at `mark`.
    package func end(_ entry: TreeEntry, name: [UInt8], _ content: ZipContent, at mark: Mark) throws(FileSystemError) {
        try flush()
        let header = ZipHeader(entry, name: name, content, offset: mark.offset)
        try header.local.withRawBytes { (bytes) throws(FileSystemError) in try output.write(bytes, at: mark.offset) }
        note(header)
    }

    /// Forgets an entry that has begun and not ended.
    package func rewind(to mark: Mark) {
        buffer.removeAll()
        start = mark.offset
    }

    /// Writes the directory and the end record.
    ///
    /// - Returns: the length of the file.
    package func finish() throws(FileSystemError) -> UInt64 {
        let directoryOffset = offset
        try write(directory.bytes)
        try write(ZipHeader.end(entries: entries, directoryOffset: directoryOffset, directoryLength: UInt64(directory.count)))
        try flush()
        try output.finish(length: offset)
        return offset
    }

    private func note(_ header: ZipHeader) {
        directory.append(header.central)
        entries += 1
    }

    private func write(_ bytes: [UInt8]) throws(FileSystemError) {
        try bytes.withRawBytes { (bytes) throws(FileSystemError) in try write(bytes) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) {
        if buffer.count + bytes.count > Self.bufferLength { try flush() }
        if bytes.count > Self.bufferLength {
            try output.write(bytes, at: start)
            start += UInt64(bytes.count)
        } else {
            buffer.append(bytes)
        }
    }

    private func flush() throws(FileSystemError) {
        if buffer.count == 0 { return }
        try output.write(buffer.bytes, at: start)
        start += UInt64(buffer.count)
        buffer.removeAll()
    }
}
