import CapsuleCore
import CapsuleFileSystem

/// A foreign archive that was read once, from its start to its end: its tree and its files' bytes.
package struct ForeignArchive: Sendable {
    package let form: ForeignForm
    package let listing: ForeignListing
    package let content: ForeignContent

    /// Reads an archive.
    ///
    /// - Throws: ``ArchiveError`` for what is no archive, is damaged or cut short, or holds an entry that no tree may hold:
    ///   `path` is then the entry's name, and nothing of the archive is used.
    package static func read(_ file: CapsuleFile) throws(ArchiveError) -> ForeignArchive {
        guard file.length > 0 else { throw ArchiveError(.unreadable, "is empty", path: file.path) }
        let start = try ArchiveError.wrapping { () throws(FileSystemError) in
            try file.read(at: 0, count: TarHeader.blockLength)
        }
        let form = try form(of: file, startingWith: start)
        let reader: any ForeignEntryReader = form == .zip ? try ZipEntryReader(file) : try TarEntryReader(file, form: form)
        return try read(reader, form, file)
    }

    /// A file whose first bytes are not an archive's can still end as a zip, as one that unpacks itself does.
    private static func form(of file: CapsuleFile, startingWith start: [UInt8]) throws(ArchiveError) -> ForeignForm {
        let form = ForeignForm(startingWith: start)
        guard form == .tar, !ForeignForm.isTar(startingWith: start), try ZipEndRecord.isThere(in: file) else { return form }
        return .zip
    }

    private static func read(
        _ reader: any ForeignEntryReader, _ form: ForeignForm, _ file: CapsuleFile
    ) throws(ArchiveError) -> ForeignArchive {
        var listing = ForeignListing(archiveLength: file.length)
        var content = try ForeignContentWriter()
        while let entry = try reader.next() {
            try ArchiveError.wrapping { () throws(FileSystemError) in try Interruption.check() }
            try listing.add(entry, file: content.files)
            if entry.kind == .file { content.beginFile() }
            try reader.readContent(of: entry) { (offset, bytes) throws(ArchiveError) in try content.append(bytes, at: offset) }
        }
        try reader.finish()
        guard !listing.entries.isEmpty || listing.top != nil else {
            throw ArchiveError(.unreadable, "is an archive without entries", path: file.path)
        }
        return ForeignArchive(form: form, listing: listing, content: try content.finish())
    }
}
