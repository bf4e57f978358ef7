import CapsulePropertyList

/// Values and texts without their secrets.
extension SecretCover {
    mutating func replacement(for value: PlistValue, _ name: SecretName) -> PlistValue? {
        budget -= 1
        switch value {
        case .array(let elements): return budget > 0 ? replacement(for: elements, name) : marked(Self.secret)
        case .dictionary(let entries): return budget > 0 ? replacement(for: entries, name) : marked(Self.secret)
        default: return replacement(forScalar: value, name)
        }
    }

    // Values may be deep, so that each of these functions needs little of the stack.
    private mutating func replacement(for elements: [PlistValue], _ name: SecretName) -> PlistValue? {
        var hidden: [PlistValue] = []
        for index in elements.indices {
            guard let replaced = replacement(for: elements[index], name) else { continue }
            if hidden.isEmpty { hidden = elements }
            hidden[index] = replaced
        }
        return hidden.isEmpty ? nil : .array(hidden)
    }

    private mutating func replacement(for entries: PlistDictionary, _ name: SecretName) -> PlistValue? {
        let outer = ignoresNames ? [] : name.union(Secrets.naming(in: entries))
        var hidden = PlistDictionary()
        for index in entries.indices {
            guard let replaced = replacement(for: entries[index].value, self.name(entries[index].key, below: outer)) else {
                continue
            }
            if hidden.isEmpty { hidden = entries }
            hidden[entries[index].key] = replaced
        }
        return hidden.isEmpty ? nil : .dictionary(hidden)
    }

    mutating func name(_ key: PlistString, below outer: SecretName) -> SecretName {
        name(key).below(outer, isField: SecretName.isField(key.string))
    }

    private mutating func replacement(forScalar value: PlistValue, _ name: SecretName) -> PlistValue? {
        switch value {
        case .string(let text) where name.contains(.secret):
            guard isLong(text.utf8.count, name), !SecretForms.isAnswer(text.utf8) else { return nil }
            note(value)
            return marked(Self.kind(name))
        case .string(let text): return hiding(text.string).map { .string(PlistString($0)) }
        case .data(let bytes):
            guard let kind = kind(of: bytes, name) else { return nil }
            let isWhole = kind == Self.cookie || isLong(bytes.count, name)
            note(.data(bytes, isWhole: isWhole))
            return marked(kind)
        case .integer where name.contains(.short) && value != 0 && value != 1:
            note(value)
            return marked(Self.kind(name))
        case .real(let number) where name.contains(.short) && number != 0 && number != 1:
            note(value)
            return marked(Self.kind(name))
        default: return nil
        }
    }

    /// Returns true if a value of this length is a secret by its name.
    func isLong(_ count: Int, _ name: SecretName) -> Bool {
        name.contains(.secret) && count >= (name.contains(.short) ? 1 : Secrets.shortest)
    }

    static func kind(_ name: SecretName) -> String { name.contains(.cookie) ? cookie : secret }

    mutating func marked(_ kind: String) -> PlistValue {
        count += 1
        return .string(PlistString(Self.word(kind)))
    }

    func kind(of bytes: [UInt8], _ name: SecretName, isCut: Bool = false) -> String? {
        if !isCut, SecretForms.isPlaceholder(data: bytes) { return nil }
        if SecretData.isCookies(bytes) || bytes.first == 1 && SecretData.isCookies(bytes.dropFirst()) { return Self.cookie }
        if isLong(bytes.count, name) { return Self.kind(name) }
        return bytes.count >= Secrets.shortest && Secrets.mayBe(in: bytes, isCut: isCut) ? Self.secret : nil
    }

    mutating func hiding(_ text: String, isCut: Bool = false) -> String? {
        let bytes = Array(text.utf8)
        let ranges = Secrets.ranges(in: bytes, isCut: isCut, usesNames: !ignoresNames)
        guard !ranges.isEmpty else { return nil }
        note(.text(bytes, ranges))
        count += ranges.count
        return String(decoding: Self.hiding(ranges, of: bytes), as: UTF8.self)
    }

    static func hiding(_ text: [UInt8]) -> (text: [UInt8], count: Int)? {
        let ranges = Secrets.ranges(in: text)
        return ranges.isEmpty ? nil : (hiding(ranges, of: text), ranges.count)
    }

    private static func hiding(_ ranges: [Range<Int>], of text: [UInt8]) -> [UInt8] {
        var (hidden, end): ([UInt8], Int) = ([], 0)
        for range in ranges {
            hidden += text[end..<range.lowerBound] + Array(word.utf8)
            end = range.upperBound
        }
        return hidden + text[end...]
    }
}
