/// The meaning of the name of a key, a column, an argument or a header for its values (docs/diff.md, section 3).
///
/// The tables below are all there is to know about names.
package struct SecretName: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Texts and data of at least ``Secrets/shortest`` bytes are secrets.
    package static let secret = SecretName(rawValue: 1 << 0)
    /// So are shorter ones and numbers, such as a PIN.
    package static let short = SecretName(rawValue: 1 << 1)
    /// So is everything below the name, such as the values of a dictionary of tokens.
    package static let group = SecretName(rawValue: 1 << 2)
    package static let cookie = SecretName(rawValue: 1 << 3)
    /// The name is also a word of prose: what follows its colon in a text is a secret only if it has a digit.
    package static let prose = SecretName(rawValue: 1 << 4)
    /// A secret may have several words.
    package static let phrase = SecretName(rawValue: 1 << 5)

    private static let long: SecretName = [.secret, .group]
    private static let brief: SecretName = [.secret, .group, .short]

    /// The words that a secret's name contains, alone or at the end of a longer word, as in `ZACCESSTOKEN`.
    private static let words = table([
        (
            long,
            """
            token secret credential authorization sessionkey sessioncookie apikey privatekey accesskey secretkey signingkey encryptionkey
            decryptionkey masterkey sharedkey authkey recoverykey walletkey hmackey aeskey sshkey consumerkey subscriptionkey jwt
            authcode accesscode csrf xsrf oauth connectionstring codeverifier clientassertion
            """
        ),
        (
            brief,
            """
            password passwd passcode pincode securitycode verificationcode onetimecode cardnumber socialsecurity passportnumber
            accountnumber
            """
        ),
        ([brief, .phrase], "passphrase mnemonic seedphrase recoveryphrase recoveryword secretphrase recoverycode backupcode"),
    ])
    /// The words that a secret's name is, or ends in.
    private static let lastWords = table([
        ([.secret, .prose], "session refresh signature"),
        ([.secret], "sessionid sid sig hmac bearer dsn webhook webhookurl webhooks"),
        // A keychain item's secret, as SecItem.h names it.
        ([.secret, .short], "vdata ksecvaluedata"),
        ([.secret, .short, .prose], "pass"), ([.secret, .short, .prose, .phrase], "seed"), ([.secret, .group, .prose], "auth"),
        ([.secret, .short], "pwd pw userpass userpwd dbpass pin otp totp cvv cvc ssn iban psk puk"), (long, "creds"),
        ([.secret, .group, .cookie], "cookie cookies"),
    ])
    /// The words after which a name is not that of the secret itself.
    private static let properties: Set<String> = set(
        """
        algorithm attempt attempts at button changed class color count created date description disabled enabled endpoint error errors
        expiration expired expires expiry format hint icon index interval issuer kind label length lifetime limit message method mode
        name needed placeholder policy prompt provider required rules scope scopes screen size state status strength timeout title ttl
        type updated uri url usage valid validity version visible
        """)
    /// The further names that may stand beside a secret or below the name of one, and tell nothing of it.
    private static let fields: Set<String> = set(
        "account app client domain email env environment host id identifier order path port realm secure service user username")
    /// The words at the start of a name that asks or states something about a secret, as in `hasPassword`.
    private static let questions: Set<String> = set(
        """
        allow allows are can did disable enable enables forgot forgotten had has have hide hides incorrect invalid is missing need needs
        no remember remembers require requires should show shows supports use uses wants was were will without wrong
        """)
    /// The keys of pairs, whose values name the value beside them, as in `{name: password, value: X}`.
    private static let pairKeys: Set<String> = set(
        "attribute field header key name option parameter property setting setting_name settingname title")
    static let longestPairKey = 12

    package init(_ name: String) {
        self = Self.find(NameWords.split(name), isUppercase: name.utf8.first?.isUppercase ?? false)
    }

    private static func find(_ parts: [[UInt8]], isUppercase: Bool) -> SecretName {
        guard let last = parts.last, parts.count == 1 || !questions.contains(String(decoding: parts[0], as: UTF8.self)) else {
            return []
        }
        for count in 1...min(3, parts.count) {
            if let found = lastWord(parts.suffix(count).flatMap { $0 }, isUppercase: isUppercase) { return found }
        }
        if parts.count > 1, properties.contains(String(decoding: last, as: UTF8.self)) { return [] }
        for start in parts.indices {
            var joined: [UInt8] = []
            for part in parts[start...].prefix(3) {
                joined += part
                if let found = word(atEndOf: joined[...]) { return found }
                if joined.last == UInt8(ascii: "s"), let found = word(atEndOf: joined.dropLast()) { return found }
            }
        }
        return []
    }

    /// - Parameter isUppercase: true if the word may be in the name of a column of Core Data, as `ZPIN` is.
    private static func lastWord(_ word: [UInt8], isUppercase: Bool) -> SecretName? {
        let isColumn = isUppercase && word.first == UInt8(ascii: "z")
        return lastWords[tail(of: word[...])]?
            .first { $0.word == word || isColumn && $0.word.elementsEqual(word.dropFirst()) }?.is
    }

    /// Returns true for a name beside a secret, or below the name of one, whose values tell nothing of it.
    static func isField(_ name: String) -> Bool {
        let parts = NameWords.split(name)
        guard let last = parts.last.map({ String(decoding: $0, as: UTF8.self) }) else { return false }
        return properties.contains(last) || fields.contains(last) || pairKeys.contains(last)
            || questions.contains(String(decoding: parts[0], as: UTF8.self))
    }

    static func isPairKey(_ name: String) -> Bool { name.utf8.count <= longestPairKey && pairKeys.contains(name.lowercased()) }

    static let longestPairName = 64

    /// Returns the name that the value of a pair's key gives the values beside it; none for a sentence.
    static func named(_ value: String) -> SecretName {
        guard value.utf8.count <= longestPairName, value.utf8.count(where: { $0 == UInt8(ascii: " ") }) < 3 else { return [] }
        return SecretName(value)
    }

    /// Returns the name of a value by its own, or else by an outer one: that of what contains it, or of a pair's key beside it.
    /// - Parameter isField: true if the own name is that of a field (``isField(_:)``).
    func below(_ outer: SecretName, isField: @autoclosure () -> Bool) -> SecretName {
        guard isEmpty, outer.contains(.group), !isField() else { return self }
        return outer
    }

    private typealias Table = [UInt32: [(word: [UInt8], is: SecretName)]]

    private static func table(_ rows: [(SecretName, String)]) -> Table {
        var table: Table = [:]
        for (name, words) in rows {
            for word in words.split(whereSeparator: \.isWhitespace) {
                table[tail(of: Array(word.utf8)[...]), default: []].append((Array(word.utf8), name))
            }
        }
        return table
    }

    private static func set(_ words: String) -> Set<String> { Set(words.split(whereSeparator: \.isWhitespace).map(String.init)) }

    /// Returns the last three bytes of a word, by which the tables are searched: few words share them.
    private static func tail(of word: ArraySlice<UInt8>) -> UInt32 { word.suffix(3).reduce(0) { $0 << 8 | UInt32($1) } }

    private static func word(atEndOf text: ArraySlice<UInt8>) -> SecretName? {
        words[tail(of: text)]?.first { text.count >= $0.word.count && text.suffix($0.word.count).elementsEqual($0.word) }?.is
    }
}

/// The words of a name in camelCase, snake_case, kebab-case or with spaces, in lower case and without digits.
private enum NameWords {
    static func split(_ name: String) -> [[UInt8]] {
        var words: [[UInt8]] = [[]]
        let bytes = Array(name.utf8)
        for (index, byte) in bytes.enumerated() {
            guard byte.isLetter || byte >= 0x80 else {
                if byte.isDigit, words.last?.isEmpty == false { continue }
                words.append([])
                continue
            }
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            let startsWord =
                index > 0 && byte.isUppercase
                && (bytes[index - 1].isLowercase || bytes[index - 1].isUppercase && next.isLowercase)
            if startsWord { words.append([]) }
            words[words.count - 1].append(byte.isUppercase ? byte | 0x20 : byte)
        }
        return words.filter { !$0.isEmpty }
    }
}
