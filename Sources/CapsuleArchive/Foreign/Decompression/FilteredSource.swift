/// What libarchive's xz or bzip2 filter makes of a file.
final class FilteredSource: ByteSource {
    private let reader: LibarchiveReader
    private var isOpen = false
    private var failure: ArchiveError?

    init(_ input: any ByteSource, _ filter: LibarchiveReader.Filter, file: CapsuleFile) throws(ArchiveError) {
        reader = try LibarchiveReader.open(.raw, filter: filter, from: StreamInput(input), file: file)
    }

    func next() throws(ArchiveError) -> UnsafeRawBufferPointer {
        if let failure { throw failure }
        do throws(ArchiveError) {
            if !isOpen {
                // The raw format has one entry, and that is everything.
                guard try reader.nextHeader() != nil else { return UnsafeRawBufferPointer(start: nil, count: 0) }
                isOpen = true
            }
            return try reader.nextBlock()?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
        } catch {
            failure = error
            throw error
        }
    }
}
