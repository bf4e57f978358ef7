/// Finds the end of a tar: two zero blocks, or the end of the file (POSIX.1-2024, pax, "ustar Interchange Format").
enum TarEnd {
    /// The place of a block of zeros behind which something else follows; nil if there is none.
    ///
    /// - Parameter bytes: the archive behind its last entry; more than the block that follows may be missing.
    static func loneZeroBlock(in bytes: UnsafeRawBufferPointer) -> Int? {
        var at = 0
        while let block = TarBlock(bytes, at: at) {
            if isZero(bytes[at..<at + TarHeader.blockLength]) {
                let next = bytes[(at + TarHeader.blockLength)...].prefix(TarHeader.blockLength)
                return isZero(next) ? nil : at
            }
            // Headers of the archive as a whole may come last.
            guard let body = block.body else { return nil }
            let (end, overflow) = (at + TarHeader.blockLength).addingReportingOverflow(
                body + TarHeader.padding(after: UInt64(body)))
            if overflow || end > bytes.count { return nil }
            at = end
        }
        return nil
    }

    private static func isZero(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool { bytes.allSatisfy { $0 == 0 } }
}
