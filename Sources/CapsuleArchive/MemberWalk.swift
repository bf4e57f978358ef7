import CapsuleFileSystem

/// Goes through a capsule's members by their own lengths. It reads ahead, so that many small members cost one read.
final class MemberWalk {
    /// What stands at a place.
    enum Found {
        case member(MemberHeader)
        /// More bytes could make it a member.
        case cut
        /// Nothing could.
        case invalid
    }

    private let file: CapsuleFile
    private let codec: MemberCodec
    private let end: UInt64
    private let readAhead: Int
    /// The file's bytes from ``start`` on, as far as they are read.
    private let window: ByteBuffer
    private var start: UInt64
    /// Where the walk is.
    private(set) var offset: UInt64

    /// - Parameters:
    ///   - end: what lies at and behind it is not looked at.
    ///   - readsContent: whether ``content(of:)`` will be asked for, so that it pays to read it all.
    init(_ file: CapsuleFile, codec: MemberCodec, from offset: UInt64, to end: UInt64, readsContent: Bool) {
        self.file = file
        self.codec = codec
        self.offset = offset
        self.end = min(end, file.length)
        start = offset
        // The length of a zstd frame is only known once it is walked.
        readAhead = readsContent || codec == .zstd ? 4 * CapsuleLimits.memberStoredLength : 4 << 10
        window = ByteBuffer(capacity: readAhead)
    }

    var isAtEnd: Bool { offset >= end }

    /// The member here; it may reach beyond the end.
    func member() throws(ArchiveError) -> Found {
        try load(MemberHeader.longest)
        while true {
            do throws(MemberHeader.Problem) {
                return .member(try MemberHeader.parse(ahead, codec: codec))
            } catch {
                if error == .invalid { return .invalid }
            }
            let known = ahead.count
            try load(CapsuleLimits.memberStoredLength)
            if ahead.count == known { return .cut }
        }
    }

    /// All bytes of the member here, until the next call; nil if it reaches beyond the end.
    func content(of header: MemberHeader) throws(ArchiveError) -> UnsafeRawBufferPointer? {
        try load(header.length)
        return ahead.count < header.length ? nil : UnsafeRawBufferPointer(rebasing: ahead[..<header.length])
    }

    /// Goes past the member here.
    func pass(_ header: MemberHeader) {
        offset += UInt64(header.length)
    }

    /// What is read from here on.
    private var ahead: UnsafeRawBufferPointer {
        let place = offset - start
        return place >= UInt64(window.count)
            ? UnsafeRawBufferPointer(rebasing: window.bytes.prefix(0)) : window.bytes(in: Int(place)..<window.count)
    }

    /// Sees to it that so many bytes are read from here on, or all there are.
    private func load(_ count: Int) throws(ArchiveError) {
        let wanted = Int(min(UInt64(count), end - min(offset, end)))
        guard ahead.count < wanted else { return }
        start = offset
        window.removeAll()
        let room = Int(min(UInt64(max(count, readAhead)), end - offset))
        try ArchiveError.wrapping { () throws(FileSystemError) in
            try Interruption.check()
            try file.read(at: offset, count: room, into: window)
        }
    }
}
