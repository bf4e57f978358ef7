import CapsuleFileSystem

/// Looks for footers where no walk leads to: behind a member that is damaged.
struct FooterSearch {
    private let file: CapsuleFile
    private let codec: MemberCodec
    /// Where a footer's payload begins within its member.
    private let payloadOffset: Int

    private static let windowLength = 1 << 20
    /// A footer's first bytes: up to and with its own offset.
    private static let telling = 24

    init(_ file: CapsuleFile, codec: MemberCodec) {
        self.file = file
        self.codec = codec
        let example = ByteBuffer(capacity: 512)
        [UInt8](repeating: 0, count: Footer.length).withUnsafeBytes {
            MetadataMember.append(.footer, $0, codec: codec, to: example)
        }
        payloadOffset = (try? MemberHeader.parse(example.bytes, codec: codec).payloadOffset) ?? 0
    }

    /// Whether a whole footer, which names the very place it is at, lies at or behind `start`.
    func finds(from start: UInt64) throws(ArchiveError) -> Bool {
        let buffer = ByteBuffer(capacity: Self.windowLength)
        var at = start
        while at < file.length {
            buffer.removeAll()
            try ArchiveError.wrapping { () throws(FileSystemError) in
                try Interruption.check()
                try file.read(at: at, count: Self.windowLength, into: buffer)
            }
            for offset in places(in: buffer.bytes, at: at) where offset >= start {
                if try isFooter(at: offset) { return true }
            }
            if buffer.count < Self.windowLength { break }
            // What tells a footer may lie across the end of the window.
            at += UInt64(Self.windowLength - Self.telling + 1)
        }
        return false
    }

    private func isFooter(at offset: UInt64) throws(ArchiveError) -> Bool {
        do throws(ArchiveError) {
            return try FooterChain.footer(at: offset, in: file, codec: codec) != nil
        } catch {
            // One of another major format is a footer too.
            if error.code == .newerFormat { return true }
            throw error
        }
    }

    /// Where members would begin whose payloads begin like a footer's that names its own place: only those are worth a read.
    private func places(in bytes: UnsafeRawBufferPointer, at start: UInt64) -> [UInt64] {
        var places: [UInt64] = []
        var at = 0
        while at + Self.telling <= bytes.count {
            if bytes[at] == Footer.magic[0], bytes[at...].starts(with: Footer.magic) {
                let own = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 16, as: UInt64.self))
                let (payload, overflow) = own.addingReportingOverflow(UInt64(payloadOffset))
                if !overflow, payload == start + UInt64(at) { places.append(own) }
            }
            at += 1
        }
        return places
    }
}
