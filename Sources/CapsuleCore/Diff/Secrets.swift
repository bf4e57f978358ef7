package import CapsulePropertyList

/// Tells secrets by their names and by their forms (docs/diff.md, section 3).
package enum Secrets {
    /// The shortest text or data that is a secret, in bytes, unless its name says otherwise (``SecretName/short``).
    static let shortest = 8

    /// Returns true if the value of a key, a column or an argument with this name is a secret.
    package static func isName(_ name: String) -> Bool { SecretName(name).contains(.secret) }

    /// Returns what a dictionary says of its values, if it is a pair of a name and a value, or a cookie; otherwise nothing.
    package static func naming(in dictionary: PlistDictionary) -> SecretName {
        guard dictionary.count <= 24 else { return [] }
        var (found, cookieKeys): (SecretName, Int) = ([], 0)
        for (key, value) in dictionary {
            guard key.utf8.count <= SecretName.longestPairKey else { continue }
            let name = key.string.lowercased()
            if cookie.contains(name) { cookieKeys += 1 }
            if let text = value.string, SecretName.isPairKey(name) { found.formUnion(pairNaming(text.string)) }
        }
        return cookieKeys == cookie.count ? [.secret, .group, .short, .cookie] : found
    }

    /// The keys that tell the dictionary of a cookie.
    private static let cookie: Set<String> = ["name", "value", "domain"]

    /// Returns what the value of a pair's key, as `password` in `{name: password, value: X}`, says of the values beside it.
    package static func pairNaming(_ value: String) -> SecretName {
        let name = SecretName.named(value)
        return name.contains(.secret) ? [name, .group, .short] : []
    }

    /// Returns true if a value, as UTF-8, names the values beside it, as ``pairNaming(_:)`` says.
    package static func isNaming(_ value: UnsafeRawBufferPointer) -> Bool {
        guard value.count <= SecretName.longestPairName else { return false }
        return !pairNaming(String(decoding: value, as: UTF8.self)).isEmpty
    }

    /// Returns true if a column may name the value beside it. In a table of two columns, `k` and `v` are usual.
    package static func isPairColumn(_ name: String) -> Bool { SecretName.isPairKey(name) || name.lowercased() == "k" }

    /// Returns true for a file of translations. Its keys name texts of the app.
    static func isTranslation(_ path: RelativePath) -> Bool {
        translations.contains { path.bytes.suffix($0.count).elementsEqual($0) }
            || SecretSearch.find(languageDirectory, in: path.bytes[...]) != nil
    }

    private static let translations = [".strings", ".stringsdict", ".xcstrings"].map { Array($0.utf8) }
    private static let languageDirectory = Array(".lproj/".utf8)
}

extension Secrets {
    /// Returns the ranges of the secrets in a text: those whose form says so, and those that follow a name.
    ///
    /// - Parameters:
    ///   - isCut: true if the text goes on after its end. What may be the beginning of a secret there is one.
    ///   - usesNames: false if only forms count.
    package static func ranges(in text: [UInt8], isCut: Bool = false, usesNames: Bool = true) -> [Range<Int>] {
        var search = SecretSearch(text: text, isCut: isCut, usesNames: usesNames)
        search.run()
        return search.found.filter { !SecretForms.isPlaceholder(text[$0]) }
    }

    /// Returns false for a text without a secret.
    package static func mayBe(inText text: UnsafeRawBufferPointer) -> Bool { text.count > 3 && !ranges(in: Array(text)).isEmpty }

    /// Returns false for data without a secret.
    package static func mayBe(inData data: UnsafeRawBufferPointer) -> Bool {
        let bytes = Array(data)
        return bytes.count >= shortest
            && (SecretData.isCookies(bytes.dropFirst(bytes.first == 1 ? 1 : 0)) || mayBe(in: bytes, isCut: false))
    }

    /// Returns true if data may contain a secret. Even in binary formats, most texts are in the data as they are.
    static func mayBe(in data: [UInt8], isCut: Bool) -> Bool {
        if !data.contains(0), String(validating: data, as: UTF8.self) != nil { return !ranges(in: data, isCut: isCut).isEmpty }
        // A picture has no text but by chance.
        if ImageHeader(data) != nil { return false }
        let isCompressed = GzipHeader(data) != nil || WrappedContent(data) == .zlib
        return data.withUnsafeBufferPointer { data in
            !ByteRuns.forEach(of: isPrintable, in: data, atLeast: shortestRun) { !isWithin(Array($0), namesCount: !isCompressed) }
        }
    }

    private static let isPrintable = (0...UInt8.max).map { 0x20..<0x7F ~= $0 }
    /// The length of a text in data that is more than chance.
    private static let shortestRun = 5

    /// - Parameter namesCount: false for compressed data, in which a name alone says nothing of its value.
    private static func isWithin(_ run: [UInt8], namesCount: Bool) -> Bool {
        if !ranges(in: run, isCut: namesCount).isEmpty { return true }
        if !namesCount { return false }
        // The lengths before the strings of a binary property list are letters, too, so that only whole words tell names. Chance
        // makes short words.
        return run.split { !$0.isLetter && $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
            .contains { $0.count > 4 && SecretName(String(decoding: $0, as: UTF8.self)).isSuperset(of: [.secret, .group]) }
    }
}

extension TextContent {
    /// The numbers of the lines that are secrets by the lines around them: those of private keys, the line after `Password:`, and the
    /// passwords of a netrc file.
    package var secretLines: Set<Int> {
        var secrets: Set<Int> = []
        var (isInKey, isInLogin, label): (Bool, Bool, SecretName) = (false, false, [])
        for number in 0..<lineCount {
            let line = line(number)
            if !isInKey { isInKey = SecretLine.beginsPrivateKey(line) }
            if isInKey {
                secrets.insert(number)
                isInKey = !SecretLine.endsPrivateKey(line)
                continue
            }
            let text = SecretLine.trimmed(line)
            if !label.isEmpty, !text.isEmpty {
                if SecretLine.isValue(text, of: label) { secrets.insert(number) }
                label = []
            }
            if text.isEmpty { isInLogin = false }
            if text.starts(with: SecretLine.machine) { isInLogin = true }
            if isInLogin, text.starts(with: SecretLine.password) { secrets.insert(number) }
            if let found = SecretLine.label(SecretLine.withoutBlockMark(text)) { label = found }
        }
        return secrets
    }
}

/// The secrets that a line of a text contains, or announces for the next line.
package enum SecretLine {
    static let machine = Array("machine ".utf8)
    static let password = Array("password ".utf8)
    private static let keyStart = Array("<key>".utf8)
    private static let keyEnd = Array("</key>".utf8)
    private static let longestLabel = 40
    private static let longestLine = 128
    private static let pemDashes = Array("-----".utf8)
    private static let values = ["<string>", "<data>"].map { Array($0.utf8) }

    static func beginsPrivateKey(_ line: ArraySlice<UInt8>) -> Bool {
        // Few lines end so, which is quick to see.
        guard trimmed(line).suffix(pemDashes.count).elementsEqual(pemDashes),
            let start = SecretSearch.find(SecretSearch.pemStart, in: line)
        else { return false }
        return SecretSearch.find(SecretSearch.pemKind, in: line[start...]) != nil && !endsPrivateKey(line[start...])
    }

    static func endsPrivateKey(_ line: ArraySlice<UInt8>) -> Bool { SecretSearch.find(SecretSearch.pemEnd, in: line) != nil }

    static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line.drop { $0.isSpace }
        while line.last?.isSpace == true { line.removeLast() }
        return line
    }

    /// Returns the range of the secret in a line that is one (``TextContent/secretLines``), without the space and the tags around it; nil
    /// for the first and the last line of a key.
    package static func value(in line: [UInt8]) -> Range<Int>? {
        var value = trimmed(line[...])
        if value.starts(with: pemDashes) { return nil }
        if value.first == UInt8(ascii: "<"), let start = value.firstIndex(of: UInt8(ascii: ">")) {
            value = value[(start + 1)...]
            value = value[..<(value.lastIndex(of: UInt8(ascii: "<")) ?? value.endIndex)]
        } else if value.starts(with: password) {
            value = trimmed(value.dropFirst(password.count))
        }
        return value.isEmpty ? nil : value.startIndex..<value.endIndex
    }

    /// Returns a line without the mark by which YAML announces that the next lines are the value, as in `password: |-` (YAML 1.2.2,
    /// section 8.1).
    static func withoutBlockMark(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let mark = line.lastIndex(of: UInt8(ascii: " ")), isBlockMark(line[(mark + 1)...]) else { return line }
        return trimmed(line[..<mark])
    }

    static func isBlockMark(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, "|>".utf8.contains(first) else { return false }
        return text.count <= 2 && text.dropFirst().allSatisfy { "+-".utf8.contains($0) }
    }

    /// Returns the name that a line such as `Password:` or `<key>password</key>` gives to the next line; nil for any other line.
    static func label(_ line: ArraySlice<UInt8>) -> SecretName? {
        guard line.count <= longestLine, let last = line.last else { return nil }
        var name: ArraySlice<UInt8>
        if last == UInt8(ascii: ":") {
            // The time and the process before it in a log.
            name = line.dropLast()
            if let bracket = name.lastIndex(of: UInt8(ascii: "]")) { name = trimmed(name[(bracket + 1)...]) }
            if name.count > longestLabel { return nil }
        } else if line.starts(with: keyStart), line.suffix(keyEnd.count).elementsEqual(keyEnd) {
            name = line.dropFirst(keyStart.count).dropLast(keyEnd.count)
        } else if line.first == UInt8(ascii: "<"), last == UInt8(ascii: ">"), !line.contains(UInt8(ascii: "/")) {
            name = line.dropFirst().prefix { $0 != UInt8(ascii: ">") && !$0.isBlank }
        } else {
            return nil
        }
        let found = SecretName.named(String(decoding: name, as: UTF8.self))
        return found.contains(.secret) ? found : nil
    }

    /// Returns true if a line is a value and not prose, nor a name with a value.
    static func isValue(_ line: ArraySlice<UInt8>, of name: SecretName) -> Bool {
        guard let last = line.last, last != UInt8(ascii: ":"), !SecretForms.isAnswer(line) else { return false }
        if line.first == UInt8(ascii: "<") { return values.contains { line.starts(with: $0) } }
        return (name.contains(.phrase) || !line.contains { $0.isBlank })
            && line.count >= (name.contains(.short) ? 1 : Secrets.shortest)
    }
}

extension UInt8 {
    var isUppercase: Bool { (0x41...0x5A).contains(self) }
    var isLowercase: Bool { (0x61...0x7A).contains(self) }
    var isLetter: Bool { isUppercase || isLowercase }
    var isDigit: Bool { (0x30...0x39).contains(self) }
    var isHexDigit: Bool { isDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self) }
    var isOfWord: Bool { isLetter || isDigit || self == UInt8(ascii: "_") }
    var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
    var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    var isSpace: Bool { isBlank || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}
