import CapsuleContainers
import CapsuleCore
import CapsuleDatabases
import CapsulePropertyList

/// Takes what a file holds, and keeps where reports would hide something, and what.
final class SecretVisitor: ContentVisitor {
    private(set) var findings: [SecretScan.Finding] = []
    private(set) var secrets = FileSecrets()
    private(set) var isOpaque = false
    private(set) var limit: Truncation?
    private let path: RelativePath
    private let texts: SecretMatcher
    private let integers: Set<PlistInteger>
    private let isKept: (String?) -> Bool
    private var cover: SecretCover
    /// The secrets that were decoded since the last place.
    private var decoded: [FoundSecret] = []
    /// The key of the value that is taken now.
    private var key: PlistString?

    init(
        _ entry: TreeEntry, keys: [Glob], texts: SecretMatcher, integers: Set<PlistInteger>,
        isKept: @escaping (String?) -> Bool
    ) {
        path = entry.path
        self.texts = texts
        self.integers = integers
        self.isKept = isKept
        cover = SecretCover(keys: keys, collects: true)
        cover.enter(path)
    }

    var wanted: RowFilter? {
        // A number may be a text of the user.
        guard integers.isEmpty else { return nil }
        return RowFilter(
            text: { [texts] in texts.isIn($0) || Secrets.mayBe(inText: $0) || !DecodedSecrets.all(in: $0).isEmpty },
            data: { [texts] in texts.isIn($0) || Secrets.mayBe(inData: $0) || !DecodedSecrets.all(in: $0).isEmpty },
            name: { self.cover.isSecretName($0) })
    }

    func wants(textOf bytes: UnsafeRawBufferPointer) -> Bool { true }
    func needsRows(of names: [String]?) -> Bool { true }
    func classified(_ detail: ChangeDetail) -> ChangeDetail { detail }
    func countRow(_ operation: ChangeOperation) {}

    /// Takes what an entry has besides its content.
    func visit(_ entry: TreeEntry, _ attributes: [ExtendedAttribute]) {
        let name = (text: Array(entry.path.name), searched: Self.withoutExtension(entry.path.name))
        for (text, searched) in [name] + (entry.kind == .link ? [(entry.target, entry.target)] : []) {
            let before = cover.count
            _ = cover.hidden(String(decoding: searched, as: UTF8.self))
            add(.secret, at: nil, since: before)
            if self.texts.isIn(text) { add(.text, at: nil) }
        }
        for attribute in attributes {
            let value = PlistValue.data(attribute.value)
            take(.metadata(MetadataChange(.attribute(attribute.name), old: nil, new: .value(value))))
        }
    }

    /// Returns a file's name without its extension, which does not belong to a secret before it.
    private static func withoutExtension(_ name: ArraySlice<UInt8>) -> [UInt8] {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex,
            1...longestExtension ~= name.endIndex - dot - 1,
            name[(dot + 1)...].allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 })
        else { return Array(name) }
        return Array(name[..<dot])
    }

    private static let longestExtension = 8

    func take(_ detail: ChangeDetail, isKept: Bool) {
        if case .limit(let reached) = detail.content { limit = reached } else { take(detail.content) }
    }

    private func take(_ content: ChangeDetail.Content) {
        let before = cover.count
        var hidden = content
        cover.hide(&hidden)
        switch hidden {
        case .value(let change):
            if case .value(let full) = content { decode(full.new) }
            let isText = isNamed(change.pointer.steps.last) || isNamed(change.new)
            add(.secret, at: change.pointer.description, since: before, isText: isText)
        case .row(let row):
            guard case .row(let full) = content else { return }
            for column in full.columns { decode(column.new?.whole) }
            let isText =
                full.columns.contains { isNamed($0.new?.whole) } || full.key.contains { $0.isColumn && isNamed($0.value.whole) }
            add(
                row.isKeychain ? .keychain : .secret, at: "\(row.table)[\(row.keyText)]", since: before, isText: isText,
                table: row.table)
        case .cookie(let change):
            let texts = [change.domain, change.path, change.cookie]
            add(.cookie, at: change.cookie, since: before, isText: texts.contains { self.texts.isIn(Array($0.utf8)) })
        case .schema(let change):
            add(.secret, at: change.name, since: before, isText: texts.isIn(Array((change.new ?? "").utf8)))
        case .metadata(let change): add(.secret, at: nil, since: before, isText: isNamed(change.new?.whole))
        case .image: isOpaque = true
        case .text, .bytes, .encoding, .fallback, .limit: add(.secret, at: nil, since: before)
        }
    }

    /// Takes the secrets in what a text or data is when it is decoded.
    private func decode(_ value: PlistValue?) {
        switch value {
        case .string(let text)?: decoded += Array(text.utf8).withUnsafeBytes(DecodedSecrets.all)
        case .data(let bytes)?: decoded += bytes.withUnsafeBytes(DecodedSecrets.all)
        default: break
        }
    }

    /// Returns true if a value has a text that the user named.
    private func isNamed(_ value: PlistValue?) -> Bool {
        guard !texts.isEmpty else { return false }
        switch value {
        case .string(let text)?: return texts.isIn(Array(text.utf8))
        case .data(let bytes)?: return texts.isIn(bytes)
        case .integer(let number)?: return integers.contains(number)
        case .real(let number)?: return integers.contains(number)
        default: return false
        }
    }

    private func isNamed(_ key: PlistString?) -> Bool { key.map { !texts.isEmpty && texts.isIn(Array($0.utf8)) } ?? false }

    func visit(_ value: PlistContents.Value) {
        limit = PlistContents.forEachPlace(in: value) { pointer, key, leaf, naming in
            guard let leaf else {
                if isNamed(key) { add(.text, at: pointer.description) }
                return
            }
            self.key = pointer.steps.contains("<archive>") ? nil : key
            take(.value(PlistChange(.added(leaf), at: pointer, naming: naming)))
            self.key = nil
        }
    }

    func visit(_ text: TextContent) {
        let secret = text.secretLines
        var start = 0
        for number in 0..<text.lineCount {
            let line = Array(text.line(number))
            defer { start += line.count }
            let before = cover.count
            _ = cover.hidden(String(decoding: line, as: UTF8.self), isSecret: secret.contains(number))
            guard !isKept(String(number + 1)) else {
                _ = cover.takeFound()
                continue
            }
            let known = secrets.count
            for (found, _) in cover.takeFound() {
                if case .text(let line, let ranges) = found { secrets.add(line, ranges, at: start) }
            }
            if secret.contains(number), let range = SecretLine.value(in: line) { secrets.add(line, [range], at: start) }
            if texts.isIn(line) { add(.text, at: String(number + 1)) }
            for found in line.withUnsafeBytes(DecodedSecrets.all) { secrets.add(found) }
            if secrets.count > known { append(.secret, at: String(number + 1), max(1, cover.count - before)) }
        }
    }

    func visit(bytesOf content: ComparedContent) throws(CapsuleError) {
        isOpaque = true
        guard !texts.isEmpty else { return }
        let window = content.window(capacity: Self.windowLength)
        if try window.contains({ texts.isIn($0) }, longest: texts.longest) { add(.text, at: nil) }
    }

    private static let windowLength = 1 << 20

    private func add(
        _ reason: SecretScan.Finding.Reason, at place: String?, since before: Int, isText: Bool = false, table: String? = nil
    ) {
        let found = cover.takeFound()
        defer { decoded = [] }
        if place.map(isKept) ?? false { return }
        if isText { add(.text, at: place) }
        let known = secrets.count
        for (secret, column) in found { secrets.add(secret, table: table, name: column ?? key?.string) }
        for secret in decoded { secrets.add(secret) }
        if secrets.count > known { append(reason, at: place, max(1, cover.count - before)) }
    }

    private func append(_ reason: SecretScan.Finding.Reason, at place: String?, _ count: Int) {
        findings.append(SecretScan.Finding(path: path, place: place, reason: reason, count: count))
    }

    private func add(_ reason: SecretScan.Finding.Reason, at place: String?) {
        if place.map(isKept) ?? false { return }
        append(reason, at: place, 1)
    }
}

extension ContentWindow {
    /// Returns true if a part of the content is wanted. The parts overlap by the length of what is searched for.
    /// - Parameter take: called with each part without that overlap, until one is wanted.
    func contains(
        _ isWanted: (UnsafeRawBufferPointer) -> Bool, longest: Int, _ take: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws(CapsuleError) -> Bool {
        var (start, known): (UInt64, UInt64) = (0, 0)
        while start < length {
            let end = min(length, start + capacity)
            let part = try bytes(in: start..<end)
            take(UnsafeRawBufferPointer(rebasing: part[Int(known - start)...]))
            known = end
            if isWanted(part) { return true }
            if end == length { return false }
            start = end - min(UInt64(longest), capacity / 2)
        }
        return false
    }
}
