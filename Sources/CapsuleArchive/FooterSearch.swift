import CapsuleFileSystem

/// Looks for footers where no walk leads to: behind a member that is damaged.
struct FooterSearch {
    private let file: CapsuleFile
    private let codec: MemberCodec
    /// Where a footer's payload begins within its member.
    private let payloadOffset: Int

    private static let windowLength = 1 << 20

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
            for place in Footer.places(in: buffer.bytes) {
                let offset = at + UInt64(place)
                guard offset >= start + UInt64(payloadOffset) else { continue }
                if try isFooter(at: offset - UInt64(payloadOffset)) { return true }
            }
            if buffer.count < Self.windowLength { break }
            // A magic may lie across the end of the window.
            at += UInt64(Self.windowLength - Footer.magic.count + 1)
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
}

extension Footer {
    /// Where the magic stands in some bytes.
    fileprivate static func places(in bytes: UnsafeRawBufferPointer) -> [Int] {
        var places: [Int] = []
        var at = 0
        while at + magic.count <= bytes.count {
            if bytes[at] == magic[0], bytes[at...].starts(with: magic) { places.append(at) }
            at += 1
        }
        return places
    }
}
