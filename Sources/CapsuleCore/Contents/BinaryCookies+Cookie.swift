extension BinaryCookies {
    /// One cookie. Its strings are bytes: nothing says how they are encoded.
    public struct Cookie: Hashable, Sendable {
        /// The host it is for; with a dot in front, those below it too.
        public let domain: [UInt8]
        /// What the server calls it.
        public let name: [UInt8]
        /// The beginning of the paths that it is for.
        public let path: [UInt8]
        /// What is sent back.
        public let value: [UInt8]
        /// What the server says of it, if anything.
        public let comment: [UInt8]?
        /// Where the server says it, if anywhere.
        public let commentURL: [UInt8]?
        /// Seconds since 2001-01-01T00:00:00Z, by their bits, as a file may hold any.
        public var expires: Double { Double(bitPattern: expiryBits) }
        /// Seconds since 2001-01-01T00:00:00Z.
        public var created: Double { Double(bitPattern: creationBits) }
        /// 1 for a secure one, 4 for one that scripts do not see; others are not documented.
        public let flags: UInt32
        /// 0 for a cookie as they are today.
        public let version: UInt32
        /// The one port that it is for, if there is one.
        public let port: UInt16?
        private let expiryBits: UInt64
        private let creationBits: UInt64

        /// Bytes in front of a cookie's strings, without a port.
        private static let headerBytes = 56

        /// Reads a record; nil for one that leads out of itself.
        init?(_ record: ByteFields) {
            func number(_ offset: Int) -> UInt32? { record.little(4, at: offset).map { UInt32(truncatingIfNeeded: $0) } }
            func text(_ offset: Int) -> [UInt8]? {
                guard let start = record.little(4, at: offset), start >= Self.headerBytes else { return nil }
                return record.string(at: Int(start))
            }
            guard let version = number(4), let flags = number(8), let hasPort = number(12), let domain = text(16),
                let name = text(20), let path = text(24), let value = text(28), let comment = number(32),
                let commentURL = number(36), let expires = record.little(8, at: 40), let created = record.little(8, at: 48)
            else { return nil }
            (self.domain, self.name, self.path, self.value) = (domain, name, path, value)
            (self.version, self.flags, expiryBits, creationBits) = (version, flags, expires, created)
            self.comment = comment == 0 ? nil : text(32)
            self.commentURL = commentURL == 0 ? nil : text(36)
            guard (comment == 0) == (self.comment == nil), (commentURL == 0) == (self.commentURL == nil) else { return nil }
            port = hasPort == 0 ? nil : record.little(2, at: Self.headerBytes).map { UInt16(truncatingIfNeeded: $0) }
            guard hasPort == 0 || port != nil else { return nil }
        }

        /// What a cookie is known by.
        struct Key: Hashable, Comparable {
            let domain: [UInt8]
            let path: [UInt8]
            let name: [UInt8]

            static func < (left: Key, right: Key) -> Bool {
                for (left, right) in [(left.domain, right.domain), (left.path, right.path), (left.name, right.name)]
                where left != right {
                    return left.lexicographicallyPrecedes(right)
                }
                return false
            }
        }

        var key: Key { Key(domain: domain, path: path, name: name) }
    }
}
