import CapsulePropertyList

extension PlistDiff {
    package func hidingSecrets() -> (diff: PlistDiff, count: Int) {
        var (diff, cover) = (self, SecretCover())
        diff.changes = changes.map { cover.hiding($0) }
        return (diff, cover.count)
    }
}

/// Hides secrets, and counts them. A secret that changed counts once.
package struct SecretCover {
    package private(set) var count = 0
    /// The number of values that may still be looked at. A value that shares its objects may be very large.
    private var budget = 1 << 22

    package init() {}

    private static let (secret, cookie, keychain) = ("secret", "cookie", "keychain")

    static let word = word(secret)

    private static func word(_ kind: String) -> String { "hidden (\(kind))" }

    /// Returns the kind of the secret that a value stands for; nil if it is a value.
    static func kind(of value: PlistValue) -> String? {
        guard let text = value.string?.string else { return nil }
        return [secret, cookie].first { word($0) == text }
    }

    /// - Parameter isSecret: true if the whole text is known to be one.
    package mutating func hidden(_ text: String, isSecret: Bool = false) -> String {
        guard isSecret else { return hiding(text) ?? text }
        count += 1
        return Self.word
    }

    package mutating func hide(_ content: inout ChangeDetail.Content) {
        switch content {
        case .value(let change): content = .value(hiding(change))
        case .row(let row): content = .row(hiding(row))
        case .schema(var change):
            (change.old, change.new) = pair(change.old, change.new) { $0.hiding($1) }
            content = .schema(change)
        case .text(var change):
            for hunk in change.hunks.indices {
                for line in change.hunks[hunk].lines.indices { hide(&change.hunks[hunk].lines[line]) }
            }
            content = .text(change)
        case .cookie(var change):
            for index in change.fields.indices {
                let field = change.fields[index]
                let isValue = field.name == "value"
                (change.fields[index].old, change.fields[index].new) = pair(field.old, field.new) {
                    isValue ? $0.hidden(Self.cookie) : $0.hiding($1, nil)
                }
            }
            change.unchanged = []
            content = .cookie(change)
        case .metadata(var change):
            let name: String? = if case .attribute(let name) = change.field { String(decoding: name, as: UTF8.self) } else { nil }
            let kind = name.map(Secrets.isName) ?? false ? Self.secret : nil
            (change.old, change.new) = pair(change.old, change.new) { $0.hiding($1, kind) }
            content = .metadata(change)
        case .bytes, .image, .encoding, .fallback, .limit: break
        }
    }

    mutating func hiding(_ change: PlistChange) -> PlistChange {
        let start = self
        let (cover, hidden) = DeepThread.run(for: [change.old, change.new]) {
            var cover = start
            let hidden = cover.hidingRecursively(change)
            return (cover, hidden)
        }
        self = cover
        return hidden
    }

    private mutating func hidingRecursively(_ change: PlistChange) -> PlistChange {
        let pointer = hiding(change.pointer)
        let isNamed = Self.isNamed(change.pointer)
        var secrets: PlistChange.Sides = []
        func value(_ cover: inout SecretCover, _ value: PlistValue, _ side: PlistChange.Sides) -> PlistValue {
            guard let hidden = cover.replacement(for: value, isNamed) else { return value }
            secrets.insert(side)
            return hidden
        }
        let before = count
        let kind: PlistChange.Kind
        switch change.kind {
        case .added(let new): kind = .added(value(&self, new, .new))
        case .deleted(let old): kind = .deleted(value(&self, old, .old))
        case .modified(let old, let new):
            let first = value(&self, old, .old)
            let middle = count
            kind = .modified(old: first, new: value(&self, new, .new))
            count = max(middle, before + count - middle)
        case .order(let old, let new):
            let first = old.map { value(&self, $0, .old) }
            let middle = count
            kind = .order(old: first, new: new.map { value(&self, $0, .new) })
            count = max(middle, before + count - middle)
        case .encoding: kind = change.kind
        }
        guard !secrets.isEmpty || pointer != change.pointer else { return change }
        return PlistChange(kind, at: pointer, in: change.className, secrets: secrets, nestedGap: change.nestedGap)
    }

    private static func isNamed(_ pointer: PlistPointer) -> Bool {
        let key = pointer.steps.last { step in
            guard let first = step.utf8.first else { return true }
            return first != UInt8(ascii: "[") && first != UInt8(ascii: "<")
                && !step.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        return key.map { Secrets.isName($0.string) } ?? false
    }

    /// Returns a pointer without secrets. A step may name an element by its value.
    private mutating func hiding(_ pointer: PlistPointer) -> PlistPointer {
        var steps = pointer.steps
        for index in steps.indices {
            let text = steps[index].string
            guard text.hasPrefix("["), let equals = text.firstIndex(of: "=") else {
                steps[index] = PlistString(hiding(text) ?? text)
                continue
            }
            let key = String(text[text.index(after: text.startIndex)..<equals])
            let isNamed =
                key.isEmpty ? Self.isNamed(PlistPointer(steps: Array(steps[..<index]))) : Secrets.isName(key)
            if isNamed, text.utf8.count - key.utf8.count - 3 >= Secrets.shortest {
                steps[index] = PlistString("[\(key)=\(Self.word)]")
            } else if let hidden = hiding(text) {
                steps[index] = PlistString(hidden)
            }
        }
        return steps == pointer.steps ? pointer : PlistPointer(steps: steps)
    }

    private mutating func replacement(for value: PlistValue, _ isNamed: Bool) -> PlistValue? {
        budget -= 1
        switch value {
        case .array(let elements): return budget > 0 ? replacement(for: elements, isNamed) : marked(Self.secret)
        case .dictionary(let entries): return budget > 0 ? replacement(for: entries) : marked(Self.secret)
        default: return replacement(forScalar: value, isNamed)
        }
    }

    // Values may be deep, so that each of these functions needs little of the stack.
    private mutating func replacement(for elements: [PlistValue], _ isNamed: Bool) -> PlistValue? {
        var hidden: [PlistValue] = []
        for index in elements.indices {
            guard let replaced = replacement(for: elements[index], isNamed) else { continue }
            if hidden.isEmpty { hidden = elements }
            hidden[index] = replaced
        }
        return hidden.isEmpty ? nil : .array(hidden)
    }

    private mutating func replacement(for entries: PlistDictionary) -> PlistValue? {
        var hidden = PlistDictionary()
        for index in entries.indices {
            guard let replaced = replacement(for: entries[index].value, Secrets.isName(entries[index].key.string)) else {
                continue
            }
            if hidden.isEmpty { hidden = entries }
            hidden[entries[index].key] = replaced
        }
        return hidden.isEmpty ? nil : .dictionary(hidden)
    }

    private mutating func replacement(forScalar value: PlistValue, _ isNamed: Bool) -> PlistValue? {
        switch value {
        case .string(let text) where isNamed: return text.utf8.count >= Secrets.shortest ? marked(Self.secret) : nil
        case .string(let text): return hiding(text.string).map { .string(PlistString($0)) }
        case .data(let bytes): return kind(of: bytes, isNamed).map { marked($0) }
        default: return nil
        }
    }

    private mutating func marked(_ kind: String) -> PlistValue {
        count += 1
        return .string(PlistString(Self.word(kind)))
    }

    private func kind(of bytes: [UInt8], _ isNamed: Bool, isCut: Bool = false) -> String? {
        if SecretData.isCookies(bytes) || bytes.first == 1 && SecretData.isCookies(bytes.dropFirst()) { return Self.cookie }
        return bytes.count >= Secrets.shortest && (isNamed || Secrets.mayBe(in: bytes, isCut: isCut)) ? Self.secret : nil
    }

    private mutating func hide(_ line: inout TextChange.Line) {
        if let hidden = line.hidden {
            line.text = hidden
            count += 1
        } else if let hidden = hiding(line.text, isCut: line.isCut) {
            line.text = hidden
        }
    }

    private mutating func hiding(_ text: String, isCut: Bool = false) -> String? {
        let bytes = Array(text.utf8)
        guard let hidden = Self.hiding(bytes, isCut: isCut) else { return nil }
        count += hidden.count
        return String(decoding: hidden.text, as: UTF8.self)
    }

    static func hiding(_ text: [UInt8], isCut: Bool = false) -> (text: [UInt8], count: Int)? {
        let ranges = Secrets.ranges(in: text, isCut: isCut)
        guard !ranges.isEmpty else { return nil }
        var (hidden, end): ([UInt8], Int) = ([], 0)
        for range in ranges {
            hidden += text[end..<range.lowerBound] + Array(word.utf8)
            end = range.upperBound
        }
        return (hidden + text[end...], ranges.count)
    }

    private mutating func hiding(_ row: RowChange) -> RowChange {
        var row = row
        for index in row.key.indices {
            row.key[index].value = hiding(row.key[index].value, kind(of: row, row.key[index].column, nil, row.key[index].value))
        }
        for index in row.columns.indices {
            var column = row.columns[index]
            let before = count
            let kinds = [column.old, column.new].map { kind(of: row, column.name, column.attribute, $0) }
            (column.old, column.new) = (
                column.old.map { hiding($0, kinds[0]) }, column.new.map { hiding($0, kinds[1]) }
            )
            let isHidden = [column.old, column.new].contains { if case .hidden? = $0 { true } else { false } }
            if isHidden, kinds.contains(where: { $0 != nil }) {
                column.nested = []
            } else {
                column.nested = column.nested.map { hiding($0) }
            }
            if count > before + 1, column.nested.isEmpty { count = before + 1 }
            row.columns[index] = column
        }
        return row
    }

    private func kind(of row: RowChange, _ column: String, _ attribute: String?, _ value: DisplayValue?) -> String? {
        if row.isKeychain {
            switch value {
            case nil, .value(.null)?: return nil
            case .value(.data)?, .dataHead?, .external?: return Self.keychain
            default: if column.lowercased() == "data" { return Self.keychain }
            }
        }
        return Secrets.isName(column) || attribute.map(Secrets.isName) ?? false ? Self.secret : nil
    }

    private mutating func hiding(_ shown: DisplayValue, _ kind: String?) -> DisplayValue {
        switch shown {
        case .value(let value):
            if kind == Self.keychain { return hidden(Self.keychain) }
            guard let replaced = replacement(for: value, kind != nil) else { return shown }
            return Self.kind(of: replaced).map { .hidden($0) } ?? .value(replaced)
        case .textHead(let head, let count, _):
            if let kind { return hidden(kind) }
            return hiding(head.string, isCut: true).map { .textHead(PlistString($0), count: count) } ?? shown
        case .dataHead(let head, _, _):
            return (kind ?? self.kind(of: head, false, isCut: true)).map { hidden($0) } ?? shown
        case .external:
            return kind.map { hidden($0) } ?? shown
        case .hidden: return shown
        }
    }

    private mutating func hidden(_ kind: String) -> DisplayValue {
        count += 1
        return .hidden(kind)
    }

    /// Hides the secrets on both sides, and counts them once.
    private mutating func pair<Value>(
        _ old: Value?, _ new: Value?, _ hide: (inout SecretCover, Value) -> Value?
    ) -> (Value?, Value?) {
        let before = count
        let first = old.flatMap { hide(&self, $0) ?? $0 }
        let middle = count
        let second = new.flatMap { hide(&self, $0) ?? $0 }
        count = max(middle, before + count - middle)
        return (first, second)
    }
}

extension PlistChange {
    /// The old value for reports: hidden, if it is a secret as a whole.
    package var shownOld: DisplayValue? { old.map { shown($0, .old) } }
    package var shownNew: DisplayValue? { new.map { shown($0, .new) } }

    private func shown(_ value: PlistValue, _ side: Sides) -> DisplayValue {
        (secrets.contains(side) ? SecretCover.kind(of: value) : nil).map { .hidden($0) } ?? .value(value)
    }
}
