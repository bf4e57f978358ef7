import CapsuleCore
import CapsuleHashing
import CapsulePropertyList
import CapsuleSystem

/// Finds a capsule's footers (docs/format.md, section 10).
struct FooterChain {
    typealias Tail = CapsuleReader.Tail

    /// The file at the time when its end was examined. It may have grown since it was opened.
    let file: CapsuleFile
    let codec: MemberCodec
    /// The last footer in the file, and that of the newest version. They differ if label records follow the version.
    typealias End = (last: Footer, newest: Footer)
    let end: End
    let tail: Tail

    /// The number of zeros at the end of a file that indicate a crash instead of damage.
    private static let tornZeros = 512

    init(of file: CapsuleFile) throws(CapsuleError) {
        // The end is known first where each read is a round trip.
        if file.isRemote, let (codec, end) = try Self.wholeEnd(of: file) {
            (self.file, self.codec, self.end, tail) = (file, codec, end, .whole)
            return
        }
        let start = try file.read(at: 0, count: MemberHeader.longest)
        guard let codec = Self.codec(startingWith: start) else {
            throw CapsuleError(.notCapsule, "is not a capsule", path: file.path)
        }
        self.codec = codec
        if let end = try Self.wholeEnd(of: file, codec: codec) {
            self.file = file
            self.end = end
            tail = .whole
            return
        }
        // An append may be running or may just have ended, so the file is examined again under a lock.
        let settled = try file.whileNobodyWrites { (now) throws(CapsuleError) in
            if let end = try Self.wholeEnd(of: now, codec: codec) { return (now, end, Tail.whole) }
            let (end, tail) = try Self.walk(now, codec: codec)
            return (now, end, tail)
        }
        if let settled {
            (self.file, end, tail) = settled
            return
        }
        self.file = file
        let (end, tail) = try Self.walk(file, codec: codec)
        self.end = end
        self.tail =
            switch tail {
            case .whole: .whole
            case .torn(let end), .damaged(let end), .growing(let end): .growing(end)
            }
    }

    private static func walk(_ file: CapsuleFile, codec: MemberCodec) throws(CapsuleError) -> (end: End, tail: Tail) {
        var walk = Walk(file: file, codec: codec)
        try walk.run()
        if let last = walk.last, let newest = walk.newest { return ((last, newest), walk.tail) }
        if !walk.hasSeenMetadata, walk.end != nil, codec == .zstd {
            throw CapsuleError(.notCapsule, "is not a capsule", path: file.path)
        }
        if case .damaged = walk.tail {
            throw CapsuleError(.damaged, "has no intact version: its footer, manifest or index is damaged", path: file.path)
        }
        throw CapsuleError(.torn, "truncated within its first version", path: file.path)
    }

    static func codec(startingWith bytes: [UInt8]) -> MemberCodec? {
        bytes.withUnsafeBytes { start in
            if let header = try? GzipMember.parse(start), header.kind == .data { return .gzip }
            return start.count >= 4 && start[0] == 0x28 && start[1] == 0xB5 && start[2] == 0x2F && start[3] == 0xFD ? .zstd : nil
        }
    }

    private static func wholeEnd(of file: CapsuleFile) throws(CapsuleError) -> (MemberCodec, End)? {
        for codec in MemberCodec.allCases {
            if let end = try wholeEnd(of: file, codec: codec) { return (codec, end) }
        }
        return nil
    }

    /// Returns nil if there is no footer at the end of the file, or that of a label record that leads to no version.
    private static func wholeEnd(of file: CapsuleFile, codec: MemberCodec) throws(CapsuleError) -> End? {
        let length = UInt64(codec.footerMemberLength)
        guard file.length > length, let footer = try footer(at: file.length - length, in: file, codec: codec) else { return nil }
        do throws(CapsuleError) {
            var newest = footer
            while newest.isLabel, let earlier = try Self.footer(before: newest, in: file) { newest = earlier }
            return (footer, newest)
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    /// Returns the footer whose member begins at `offset`, or nil if there is no complete footer that names this offset.
    static func footer(at offset: UInt64, in file: CapsuleFile, codec: MemberCodec) throws(CapsuleError) -> Footer? {
        let bytes = try file.read(at: offset, count: codec.footerMemberLength)
        guard let payload = bytes.withUnsafeBytes({ MetadataMember.join(.footer, $0, codec: codec) }) else { return nil }
        let parsed: Footer
        do throws(Footer.Problem) {
            parsed = try payload.withRawBytes { (bytes) throws(Footer.Problem) in try Footer(payload: bytes) }
        } catch {
            guard case .format(let major, let minor) = error else { return nil }
            let isOlder = (major, minor) < (Footer.major, Footer.minor)
            throw CapsuleError(
                .otherFormat, "has format \(major).\(minor), but this program reads format \(Footer.major).\(Footer.minor)",
                path: file.path,
                hint: isOlder
                    ? "no released version wrote that format: extract the file with tar, and pack it again"
                    : "read it with a newer capsule")
        }
        guard parsed.offset == offset, parsed.codec == codec else { return nil }
        try file.compareWithList(parsed)
        return parsed
    }

    static func footer(before footer: Footer, in file: CapsuleFile) throws(CapsuleError) -> Footer? {
        guard let previous = footer.previous else { return nil }
        guard let found = try Self.footer(at: previous.offset, in: file, codec: footer.codec),
            SHA256Hasher.digest(of: found.payload) == previous.digest,
            found.offset + UInt64(footer.codec.footerMemberLength) == footer.segmentStart
        else {
            let later = footer.isLabel ? "before a label record" : "of the version before \(footer.version)"
            throw CapsuleError(
                .damaged, "the footer \(later), at byte \(previous.offset), is damaged",
                path: file.path)
        }
        return found
    }

    /// A walk from the beginning of the file, member by member.
    private struct Walk {
        let file: CapsuleFile
        let codec: MemberCodec
        var last: Footer?
        /// The last one of a version.
        var newest: Footer?
        var tail = Tail.whole
        var hasSeenMetadata = false
        var end: UInt64?
        private var lastGoodEnd: UInt64 = 0

        init(file: CapsuleFile, codec: MemberCodec) {
            self.file = file
            self.codec = codec
        }

        mutating func run() throws(CapsuleError) {
            let walk = MemberWalk(file, codec: codec, from: 0, to: file.length, readsContent: false)
            while !walk.isAtEnd {
                let header: MemberHeader
                switch try walk.member() {
                case .member(let found): header = found
                case .cut: return try stop(at: walk.offset, isCut: true)
                case .invalid: return try stop(at: walk.offset, isCut: false)
                }
                let next = walk.offset + UInt64(header.length)
                if next > file.length { return try stop(at: walk.offset, isCut: true) }
                if header.kind != .data { hasSeenMetadata = true }
                if header.kind == .footer {
                    guard let footer = try footer(at: walk.offset) else { return try stop(at: walk.offset, isCut: false) }
                    last = footer
                    if !footer.isLabel { newest = footer }
                    lastGoodEnd = next
                }
                walk.pass(header)
            }
            if lastGoodEnd != file.length {
                end = walk.offset
                tail = .torn(lastGoodEnd)
            }
        }

        /// Returns the footer if it is valid: it names its own offset, follows the previous footer, and matches its root and manifest.
        private func footer(at offset: UInt64) throws(CapsuleError) -> Footer? {
            guard let footer = try FooterChain.footer(at: offset, in: file, codec: codec), footer.segmentStart == lastGoodEnd,
                footer.previous?.offset == last?.offset,
                footer.previous?.digest == last.map({ SHA256Hasher.digest(of: $0.payload) })
            else { return nil }
            let reader = MetadataReader(file: file, codec: codec)
            if !footer.isLabel, try !reader.isWhole(footer.root, .indexRoot, limit: CapsuleLimits.indexRootLength) { return nil }
            guard try reader.isWhole(footer.manifest, .manifest, limit: UInt64(Manifest.maximumLength))
            else { return nil }
            return footer
        }

        private mutating func stop(at offset: UInt64, isCut: Bool) throws(CapsuleError) {
            end = offset
            let zeros = UInt64(FooterChain.tornZeros)
            let isZeroed: Bool
            if isCut || file.length < zeros {
                isZeroed = false
            } else {
                let last = try file.read(at: file.length - zeros, count: Int(zeros))
                isZeroed = last.allSatisfy { $0 == 0 }
            }
            // An interrupted write leaves no footer after it. If there is one, the members before it are damaged.
            var isTorn = isCut || isZeroed
            if isTorn { isTorn = try !FooterSearch(file, codec: codec).finds(from: lastGoodEnd) }
            tail = isTorn ? .torn(lastGoodEnd) : .damaged(lastGoodEnd)
        }
    }
}

/// Searches for footers after a damaged member, which a walk can't pass.
private struct FooterSearch {
    private let file: CapsuleFile
    private let codec: MemberCodec
    private let payloadOffset: Int

    private static let windowLength = 1 << 20
    /// The number of bytes from the beginning of a footer to the end of its own offset.
    private static let telling = 24

    init(_ file: CapsuleFile, codec: MemberCodec) {
        self.file = file
        self.codec = codec
        let example = ByteBuffer(capacity: 512)
        [UInt8](repeating: 0, count: Footer.length).withUnsafeBytes {
            MetadataMember.append(.footer, $0, codec: codec, to: example)
        }
        payloadOffset =
            (try? MemberHeader.parse(example.bytes, codec: codec)).guaranteed("a footer that was just made can be read")
            .payloadOffset
    }

    func finds(from start: UInt64) throws(CapsuleError) -> Bool {
        let buffer = ByteBuffer(capacity: Self.windowLength)
        var at = start
        while at < file.length {
            buffer.removeAll()
            try Interruption.check()
            try file.read(at: at, count: Self.windowLength, into: buffer)
            for offset in places(in: buffer.bytes, at: at) where offset >= start {
                if try isFooter(at: offset) { return true }
            }
            if buffer.count < Self.windowLength { break }
            // These bytes of a footer may cross the end of the window.
            at += UInt64(Self.windowLength - Self.telling + 1)
        }
        return false
    }

    private func isFooter(at offset: UInt64) throws(CapsuleError) -> Bool {
        do throws(CapsuleError) {
            return try FooterChain.footer(at: offset, in: file, codec: codec) != nil
        } catch {
            // A footer of another format counts too.
            if error.code == .otherFormat { return true }
            throw error
        }
    }

    /// Returns the offsets of members whose payloads begin like a footer that names its own offset. Only those are worth reading.
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
