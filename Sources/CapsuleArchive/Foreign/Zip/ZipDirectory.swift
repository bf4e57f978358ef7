import CapsuleCore
import CapsuleFileSystem

/// A zip's central directory, read by ourselves: libarchive's names depend on the locale (APPNOTE.TXT, section 4.3).
///
/// Bytes before the first entry and behind the end record are passed over, as Python, Go and bsdtar do: programs that unpack
/// themselves have them. What archivers disagree about is refused: entries that share bytes, local headers that say other than
/// the directory.
struct ZipDirectory {
    /// In the order of their local headers, which is libarchive's.
    let entries: [ZipDirectoryEntry]
    /// Offset in the file to which all offsets in the zip are relative.
    let start: UInt64
    /// Where the end record ends, without its comment: libarchive looks for it in a file's last 16 KiB.
    let end: UInt64

    init(of file: CapsuleFile) throws(ArchiveError) {
        let end = try ZipEndRecord(of: file)
        var found = try Self.readEntries(of: file, end)
        found.sort { $0.localOffset < $1.localOffset }
        for number in found.indices { try found[number].checkLocalHeader(in: file) }
        for (entry, following) in zip(found, found.dropFirst()) where entry.end > following.localOffset {
            throw ArchiveError(.damaged, "shares bytes with '\(HostPath(entry.name))'", path: HostPath(following.name))
        }
        if let last = found.last, last.end > end.directoryOffset {
            throw ArchiveError(.damaged, "shares bytes with the zip's directory", path: HostPath(last.name))
        }
        entries = found
        start = end.start
        self.end = end.offset + UInt64(ZipEndRecord.length)
    }

    private static func readEntries(of file: CapsuleFile, _ end: ZipEndRecord) throws(ArchiveError) -> [ZipDirectoryEntry] {
        guard end.entries <= CapsuleLimits.entries else {
            throw ArchiveError(.limit, "has more than \(CapsuleLimits.entries) entries", path: file.path)
        }
        guard end.directoryLength <= UInt64(ForeignLimits.listingLength) else {
            throw ArchiveError(.limit, "its directory is longer than \(ForeignLimits.listingLength >> 20) MiB", path: file.path)
        }
        let bytes = try ArchiveError.wrapping { () throws(FileSystemError) in
            try file.read(at: end.directoryOffset, count: Int(end.directoryLength))
        }
        // Nothing is allocated for entries that the bytes don't have room for.
        guard end.entries <= UInt64(bytes.count / ZipDirectoryEntry.shortest) else { throw damaged(file) }
        do {
            return try bytes.withRawBytes { (bytes) throws(any Error) in
                var reader = ByteReader(bytes)
                var entries: [ZipDirectoryEntry] = []
                entries.reserveCapacity(Int(end.entries))
                for _ in 0..<end.entries { entries.append(try ZipDirectoryEntry(&reader, file: file, start: end.start)) }
                guard reader.remaining == 0 else { throw damaged(file) }
                return entries
            }
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw damaged(file)
        }
    }

    private static func damaged(_ file: CapsuleFile) -> ArchiveError {
        ArchiveError(
            .damaged, "the zip's directory does not match the entry count or length in its end record", path: file.path)
    }
}
