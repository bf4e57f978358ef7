/// The forms by which a secret in a text is known, whatever its name is. These tables are all there is to know about forms.
enum SecretForms {
    /// The beginnings of keys of services, with the fewest bytes that follow.
    private static let prefixes = table([
        (
            10,
            "ghp_ gho_ ghs_ ghu_ ghr_ github_pat_ xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xapp- sk_live_ rk_live_ sk_test_ rk_test_ whsec_"
        ),
        (
            16,
            "glpat- glrt- GOCSPX- npm_ hf_ shpat_ shpss_ dop_v1_ lin_api_ pypi- sk-ant- sk-proj- ya29. AGE-SECRET-KEY-1 sq0csp- SG."
        ),
        (30, "AIza"),
    ])
    /// The parameters of URLs whose values are secrets, beside those that have a secret's name anywhere.
    static let parameters: Set<String> = [
        "assertion", "code", "code_verifier", "hmac", "key", "otp", "samlresponse", "sig", "sign", "signature", "ticket",
        "x-amz-credential", "x-amz-security-token", "x-amz-signature", "x-goog-credential", "x-goog-signature",
    ]
    /// The hosts of webhooks, and the path after which their secret follows.
    static let webhooks: [String: [UInt8]] = [
        "hooks.slack.com": Array("/services/".utf8), "discord.com": Array("/api/webhooks/".utf8),
        "discordapp.com": Array("/api/webhooks/".utf8), "api.telegram.org": Array("/bot".utf8),
    ]
    /// Values that are no secrets, however short a secret may be.
    private static let answers: Set<String> = [
        "", "0", "1", "true", "false", "yes", "no", "on", "off", "ok", "null", "nil", "none", "undefined", "{}", "[]", "\"\"",
    ]
    /// The last words of names that have a space before them in texts, as in `API key`.
    static let lastNouns: Set<String> = ["code", "codes", "id", "key", "keys", "number", "phrase", "string", "words"]
    static let schemes: Set<String> = ["bearer", "basic", "token"]

    private static let jwt = Array("eyJ".utf8)
    private static let awsKeys = [Array("AKIA".utf8), Array("ASIA".utf8)]

    /// Returns true if a word is a secret by what it begins with.
    /// - Parameter isOpen: true if the text is cut at the end of the word.
    static func isSecret(_ word: ArraySlice<UInt8>, isOpen: Bool) -> Bool {
        guard let first = word.first else { return false }
        if word.starts(with: jwt) {
            let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            return isOpen || parts.count >= 3 && parts[0].count > 8 && parts[1].count > 4
        }
        if first == UInt8(ascii: "A"), awsKeys.contains(where: { word.starts(with: $0) }) {
            return isOpen || word.count == 20 && word.allSatisfy { $0.isUppercase || $0.isDigit }
        }
        return prefixes[first]?.contains { word.starts(with: $0.prefix) && (isOpen || word.count >= $0.prefix.count + $0.rest) }
            ?? false
    }

    /// Returns true for the text that stands for a secret after `capsule redact`, such as `redacted-7`, or letters `U` (``base64Digit``), of
    /// which the first and the last share bits with what is beside the secret.
    static func isPlaceholder(_ value: some Collection<UInt8>) -> Bool {
        if value.first == placeholder[0] {
            return value.count > placeholder.count && value.count < 30 && value.starts(with: placeholder)
                && value.dropFirst(placeholder.count).allSatisfy { $0.isDigit }
        }
        return value.count >= Secrets.shortest && value.dropFirst().dropLast().allSatisfy { $0 == UInt8(ascii: "U") }
    }

    /// Returns true for data after that: zeros, with its number at the end.
    static func isPlaceholder(data: [UInt8]) -> Bool {
        data.dropLast(data.count < Secrets.shortest ? 0 : numberLength).allSatisfy { $0 == 0 }
    }

    /// Replaces each digit of a secret in Base64. Decoded from any digit on, it gives letters `U`, so that JSON stays JSON.
    static let base64Digit = UInt8(ascii: "V")

    /// The number of bytes of a number at the end of data.
    static let numberLength = 4
    /// The value of a cookie is cut to the length that it had, so that it may be a part of this.
    static let placeholder = Array("redacted-".utf8)

    static func isAnswer(_ value: some Collection<UInt8>) -> Bool {
        isPlaceholder(value) || value.count < 10 && answers.contains(String(decoding: value, as: UTF8.self).lowercased())
    }

    private static func table(_ rows: [(Int, String)]) -> [UInt8: [(prefix: [UInt8], rest: Int)]] {
        var table: [UInt8: [(prefix: [UInt8], rest: Int)]] = [:]
        for (rest, prefixes) in rows {
            for prefix in prefixes.split(separator: " ") {
                prefix.utf8.first.map { table[$0, default: []].append((Array(prefix.utf8), rest)) }
            }
        }
        return table
    }
}
