import CapsuleCore

/// A secret that a registry accepts. Its text never shows in messages.
package enum Credential: Hashable, Sendable {
    case password(user: String, password: String)
    /// A token that is exchanged for the registry's own tokens (OAuth 2.0 calls it a refresh token).
    case identityToken(String)
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        switch self {
        case .password(let user, _): "the password of \(QuotedBytes(Array(user.utf8.prefix(200))).text)"
        case .identityToken: "an identity token"
        }
    }

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
