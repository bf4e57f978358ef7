package import CapsulePropertyList

extension PlistDiff {
    package func hidingSecrets() -> (diff: PlistDiff, count: Int) {
        var (diff, cover) = (self, SecretCover())
        diff.changes = changes.map { cover.hiding($0) }
        return (diff, cover.count)
    }
}

/// A secret that was hidden.
package enum FoundSecret: Hashable, Sendable {
    /// The ranges of a text in UTF-8.
    case text([UInt8], [Range<Int>])
    /// Data. If it is not secret by its name, only a part of it may be.
    case data([UInt8], isWhole: Bool)
    case integer(PlistInteger)
    case real(Double)
    /// The name of the file with a value of a row.
    case file(String)
}

/// Hides secrets, and counts them. A secret that changed counts once.
package struct SecretCover {
    package internal(set) var count = 0
    /// The secrets that were hidden since they were last taken; nil if nobody wants them.
    private var found: [(secret: FoundSecret, column: String?)]?
    /// The column of a row whose value is hidden now.
    var column: String?
    /// Further names of secrets.
    private let keys: [Glob]
    /// The number of values that may still be looked at. A value that shares its objects may be very large.
    var budget = 1 << 22
    /// True if names say nothing, as in translations.
    private(set) var ignoresNames = false
    private var names: [PlistString: SecretName] = [:]
    private static let mostNames = 4_096

    /// - Parameters:
    ///   - keys: patterns of further names of secrets.
    ///   - collects: true to keep what is hidden, for ``takeFound()``.
    package init(keys: [Glob] = [], collects: Bool = false) {
        self.keys = keys
        found = collects ? [] : nil
    }

    /// Returns the secrets that were hidden since the last call, each with its column if it is in a row.
    package mutating func takeFound() -> [(secret: FoundSecret, column: String?)] {
        defer { if found != nil { found = [] } }
        return found ?? []
    }

    mutating func note(_ secret: @autoclosure () -> FoundSecret) { found?.append((secret(), column)) }

    mutating func note(_ value: PlistValue) {
        switch value {
        case .string(let text): note(.text(Array(text.utf8), [0..<text.utf8.count]))
        case .data(let bytes): note(.data(bytes, isWhole: true))
        case .integer(let number): note(FoundSecret.integer(number))
        case .real(let number): note(FoundSecret.real(number))
        default: break
        }
    }

    /// Goes on with the contents of another file.
    package mutating func enter(_ path: RelativePath) {
        let isTranslation = Secrets.isTranslation(path)
        if ignoresNames != isTranslation { names = [:] }
        ignoresNames = isTranslation
    }

    static let (secret, cookie, keychain) = ("secret", "cookie", "keychain")

    static let word = word(secret)

    static func word(_ kind: String) -> String { "hidden (\(kind))" }

    /// Returns the kind of the secret that a value stands for; nil if it is a value.
    static func kind(of value: PlistValue) -> String? {
        guard let text = value.string?.string else { return nil }
        return [secret, cookie].first { word($0) == text }
    }

    /// Returns a path without the secrets that are known by their form.
    package static func hidden(path: [UInt8]) -> [UInt8] { hiding(path)?.text ?? path }

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
                    guard isValue else { return $0.hiding($1, [], nil) }
                    let text = $1.whole?.string.map { Array($0.utf8) } ?? [0]
                    if SecretForms.isPlaceholder(text) { return $1 }
                    return $0.hidden(Self.cookie, SecretForms.placeholder.starts(with: text) ? nil : $1)
                }
            }
            change.unchanged = []
            content = .cookie(change)
        case .metadata(var change):
            let name: String? = if case .attribute(let name) = change.field { String(decoding: name, as: UTF8.self) } else { nil }
            let found = name.map { self.name($0) } ?? []
            (change.old, change.new) = pair(change.old, change.new) {
                $0.hiding($1, found, found.contains(.secret) ? Self.secret : nil)
            }
            content = .metadata(change)
        case .bytes, .image, .encoding, .fallback, .limit: break
        }
    }

    /// Hides the passwords in the URLs that links lead to.
    package mutating func hidingTargets(_ old: TreeEntry?, _ new: TreeEntry?) -> (old: TreeEntry?, new: TreeEntry?) {
        pair(old, new) { cover, entry in
            guard entry.kind == .link, let hidden = Self.hiding(entry.target) else { return nil }
            var entry = entry
            entry.target = hidden.text
            cover.count += hidden.count
            return entry
        }
    }

    mutating func hiding(_ change: PlistChange) -> PlistChange {
        let isShallow = [change.old, change.new].allSatisfy { $0?.isContainer != true }
        if isShallow { return hidingRecursively(change) }
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
        let name = self.name(of: change.pointer.steps, in: change.naming)
        var secrets: PlistChange.Sides = []
        func value(_ cover: inout SecretCover, _ value: PlistValue, _ side: PlistChange.Sides) -> PlistValue {
            guard let hidden = cover.replacement(for: value, name) else { return value }
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
        return PlistChange(
            kind, at: pointer, in: change.className, secrets: secrets, nestedGap: change.nestedGap, naming: change.naming)
    }

    /// Returns true if a name tells of a secret.
    package mutating func isSecretName(_ name: String) -> Bool { !self.name(name).isEmpty }

    /// Returns what a name says, except in translations.
    mutating func name(_ name: String) -> SecretName { self.name(PlistString(name)) }

    mutating func name(_ name: PlistString) -> SecretName {
        guard !ignoresNames else { return [] }
        if let known = names[name] { return known }
        if names.count >= Self.mostNames { names = [:] }
        let isKey = keys.contains { $0.matches(Array(name.string.lowercased().utf8)) }
        let found = isKey ? [.secret, .group, .short] : SecretName(name.string)
        names[name] = found
        return found
    }

    /// Returns what the names in a pointer say about its value: the last key, those above it, and an element that a name identifies,
    /// as in `/headers/[name=Cookie]/value`.
    private mutating func name(of steps: some Sequence<PlistString>, in outer: SecretName = []) -> SecretName {
        var found: SecretName = ignoresNames ? [] : outer
        for step in steps {
            guard let first = step.utf8.first else { continue }
            if first == UInt8(ascii: "[") {
                found = pairNaming(step.string) ?? found
            } else if first != UInt8(ascii: "<"), !step.utf8.allSatisfy({ $0.isDigit }) {
                found = name(step).below(found, isField: SecretName.isField(step.string))
            }
        }
        return found
    }

    private func pairNaming(_ step: String) -> SecretName? {
        guard !ignoresNames, step.hasSuffix("]"), let equals = step.firstIndex(of: "="),
            SecretName.isPairKey(String(step[..<equals].dropFirst()))
        else { return nil }
        let found = Secrets.pairNaming(String(step[step.index(after: equals)...].dropLast()))
        return found.isEmpty ? nil : found
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
            let name = key.isEmpty ? self.name(of: steps[..<index]) : self.name(key)
            if isLong(text.utf8.count - key.utf8.count - 3, name) {
                steps[index] = PlistString("[\(key)=\(Self.word)]")
            } else if let hidden = hiding(text) {
                steps[index] = PlistString(hidden)
            }
        }
        return steps == pointer.steps ? pointer : PlistPointer(steps: steps)
    }

    private mutating func hide(_ line: inout TextChange.Line) {
        if let hidden = line.hidden {
            line.text = hidden
            count += 1
        } else if let hidden = hiding(line.text, isCut: line.isCut) {
            line.text = hidden
        }
    }

    /// Hides the secrets on both sides, and counts them once.
    mutating func pair<Value>(
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
