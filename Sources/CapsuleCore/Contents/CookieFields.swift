import CapsulePropertyList

/// Tells the fields of cookies, and hides what is secret.
struct CookieFields {
    let showsSecrets: Bool

    /// The change from one cookie to the other; nil if there is neither.
    func change(_ old: BinaryCookies.Cookie?, _ new: BinaryCookies.Cookie?) -> CookieChange? {
        guard let cookie = new ?? old else { return nil }
        let operation: ChangeOperation = old == nil ? .added : new == nil ? .deleted : .modified
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        return CookieChange(
            operation, domain: text(cookie.domain), path: text(cookie.path), cookie: text(cookie.name),
            fields: Self.fields.compactMap { name, value in
                let (oldValue, newValue) = (old.flatMap(value), new.flatMap(value))
                guard oldValue != newValue else { return nil }
                return CookieChange.Field(name, old: oldValue.map { shown($0, name) }, new: newValue.map { shown($0, name) })
            })
    }

    private static let secret = "value"

    private func shown(_ value: PlistValue, _ name: String) -> ShownValue {
        name == Self.secret && !showsSecrets ? .hidden("cookie") : .value(value)
    }

    private static let fields: [(name: String, value: @Sendable (BinaryCookies.Cookie) -> PlistValue?)] = [
        (secret, { Self.text($0.value) }),
        ("expires", { .date($0.expires) }),
        ("created", { .date($0.created) }),
        ("flags", { .string(PlistString(Self.flags($0.flags))) }),
        ("port", { $0.port.map { .integer(PlistInteger(UInt64($0))) } }),
        ("version", { .integer(PlistInteger(UInt64($0.version))) }),
        ("comment", { $0.comment.map { Self.text($0) } }),
        ("commentURL", { $0.commentURL.map { Self.text($0) } }),
    ]

    /// A string, or data if it is not UTF-8.
    private static func text(_ bytes: [UInt8]) -> PlistValue {
        PlistString(validating: bytes).map { .string($0) } ?? .data(bytes)
    }

    /// `secure httponly`, and the rest of the bits as a number.
    private static func flags(_ flags: UInt32) -> String {
        let rest = flags & ~5
        let names = [flags & 1 != 0 ? "secure" : nil, flags & 4 != 0 ? "httponly" : nil]
        return (names + [rest == 0 ? nil : "0x" + String(rest, radix: 16)]).compactMap { $0 }.joined(separator: " ")
    }
}
