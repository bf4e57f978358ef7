/// A form of authentication that a server accepts: one challenge of a `WWW-Authenticate` header (RFC 9110, section 11.6.1).
package struct Challenge: Hashable, Sendable {
    /// The name in lower case, such as `basic` or `bearer`.
    package let scheme: String
    /// The parameters. Their names are in lower case.
    package let parameters: [String: String]

    package var isBasic: Bool { scheme == "basic" }
    package var isBearer: Bool { scheme == "bearer" && realm != nil }
    /// The URL that gives tokens, in a challenge of the scheme `bearer`.
    package var realm: String? { parameters["realm"] }
    package var service: String? { parameters["service"] }
    package var scope: String? { parameters["scope"] }

    /// The longest text that is parsed, in bytes, and the greatest number of challenges and of parameters in it.
    private static let lengthLimit = 16 << 10
    private static let countLimit = 32

    /// Parses the values of all `WWW-Authenticate` headers of an answer. Each may hold several challenges. A value that is malformed or too
    /// long counts up to there.
    package static func parse(_ values: [String]) -> [Challenge] {
        var challenges: [Challenge] = []
        var length = 0
        for value in values {
            length += value.utf8.count
            guard length <= lengthLimit else { break }
            var parser = ChallengeParser(value)
            while challenges.count < countLimit, let challenge = parser.next() { challenges.append(challenge) }
        }
        return challenges
    }

    fileprivate struct ChallengeParser {
        private var rest: Substring.UTF8View

        init(_ value: String) {
            rest = value[...].utf8
        }

        /// Returns the next challenge; nil at the end, and before one that is malformed.
        mutating func next() -> Challenge? {
            skip { $0 == UInt8(ascii: ",") || Self.isSpace($0) }
            guard let scheme = token() else { return nil }
            var parameters: [String: String] = [:]
            guard rest.first.map(Self.isSpace) ?? true else {
                return rest.first == UInt8(ascii: ",") ? Challenge(scheme: scheme, parameters: [:]) : nil
            }
            while let (name, value) = parameter() {
                guard parameters.count < countLimit, parameters.updateValue(value, forKey: name) == nil else { return nil }
            }
            skip(Self.isSpace)
            if parameters.isEmpty { skipToken68() }
            // Anything else that follows is malformed.
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") || !parameters.isEmpty else { return nil }
            return Challenge(scheme: scheme, parameters: parameters)
        }

        /// Returns a parameter and skips the commas before it. Without one, nothing is skipped, because what follows may be a challenge.
        private mutating func parameter() -> (name: String, value: String)? {
            let start = rest
            skip { $0 == UInt8(ascii: ",") || Self.isSpace($0) }
            if let name = token() {
                skip(Self.isSpace)
                if rest.first == UInt8(ascii: "=") {
                    rest.removeFirst()
                    skip(Self.isSpace)
                    if let value = rest.first == UInt8(ascii: "\"") ? quoted() : text(while: Self.isToken), isAtEndOfParameter {
                        return (name, value)
                    }
                }
            }
            rest = start
            return nil
        }

        private var isAtEndOfParameter: Bool {
            guard let next = rest.first(where: { !Self.isSpace($0) }) else { return true }
            return next == UInt8(ascii: ",")
        }

        private mutating func token() -> String? { text(while: Self.isToken)?.lowercased() }

        private mutating func text(while belongs: (UInt8) -> Bool) -> String? {
            let found = rest.prefix(while: belongs)
            guard !found.isEmpty else { return nil }
            rest = rest[found.endIndex...]
            return String(Substring(found))
        }

        private mutating func quoted() -> String? {
            rest.removeFirst()
            var bytes: [UInt8] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let escaped = rest.popFirst() else { return nil }
                    bytes.append(escaped)
                case 0...8, 10...0x1F, 0x7F: return nil
                default: bytes.append(byte)
                }
            }
            return nil
        }

        private mutating func skipToken68() {
            skip { Self.isToken($0) || $0 == UInt8(ascii: "/") }
            skip { $0 == UInt8(ascii: "=") }
            skip(Self.isSpace)
        }

        private mutating func skip(_ belongs: (UInt8) -> Bool) { rest = rest.drop(while: belongs) }

        private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

        private static func isToken(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
    }
}
