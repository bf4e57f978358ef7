import CapsuleCore
package import CapsulePropertyList

/// Reads the file part of an overlay document strictly: an unknown key or a value of a wrong type is an error with its place.
struct FileRecordReader {
    private static let recordKeys = ["Path", "Old", "New"]
    private static let stateKeys = ["Kind", "Mode", "Time", "Attributes", "Target", "Size", "Digest", "Chunks"]
    private static let recipeKeys = ["Carried", "Pieces"]
    private static let attributeKeys = ["Name", "Value"]

    private let isUntyped: Bool

    /// - Returns: the records, sorted by path; empty if the document has no `Files`.
    static func read(_ document: DocumentPart, isUntyped: Bool) throws(OverlayError) -> [FileRecord] {
        let reader = FileRecordReader(isUntyped: isUntyped)
        var records: [FileRecord] = []
        for (number, element) in (try document.array("Files") ?? []).enumerated() {
            records.append(try reader.record(try document.part(element, "Files", number)))
        }
        return try FileRecordSet(records).records
    }

    private func record(_ part: DocumentPart) throws(OverlayError) -> FileRecord {
        try part.checkKeys(Self.recordKeys)
        guard let bytes = try name(part, "Path") else {
            throw part.missing("Path", hint: "write the path that the record changes")
        }
        let path: RelativePath
        do throws(PathError) {
            path = try RelativePath(validating: bytes)
        } catch {
            throw part.error(
                "Path", "\(PlistString(String(decoding: bytes, as: UTF8.self)).quoted): \(error.message)",
                hint: "write it as 'capsule ls' prints it: Library/Preferences/com.example.app.plist")
        }
        return FileRecord(path: path, old: try state(part, "Old"), new: try state(part, "New"))
    }

    private func state(_ record: DocumentPart, _ key: PlistString) throws(OverlayError) -> FileState? {
        guard let entries = try record.dictionary(key) else { return nil }
        let part = DocumentPart(entries, at: record.place.appending(key))
        try part.checkKeys(Self.stateKeys)
        var state = FileState(
            kind: try kind(part), mode: try mode(part), modified: try time(part), attributes: try attributes(part))
        if let target = try name(part, "Target") {
            guard state.kind == .link else { throw part.error("Target", "is only for links") }
            guard !target.isEmpty else { throw part.error("Target", "is empty") }
            state.target = target
        }
        state.content = try content(part)
        return state
    }

    private func kind(_ part: DocumentPart) throws(OverlayError) -> EntryKind {
        let known = [EntryKind.file, .directory, .link]
        let hint = "use \(Suggestions.alternatives(known.map(\.word)))"
        guard let word = try part.string("Kind") else { throw part.missing("Kind", hint: hint) }
        guard let kind = known.first(where: { $0.word == word }) else {
            throw part.error(
                "Kind", "\(PlistString(word).quoted) is not a kind of entry",
                hint: Suggestions(for: word, among: known.map(\.word)).hint ?? hint)
        }
        return kind
    }

    /// Reads up to four octal digits. An integer is accepted, too: `<integer>0600</integer>` only loses its leading zero.
    private func mode(_ part: DocumentPart) throws(OverlayError) -> FileMode? {
        guard let value = part.entries["Mode"] else { return nil }
        guard let digits = value.string?.string ?? value.integer?.description else {
            throw part.error("Mode", "must be a string, not \(value.typeNameWithArticle)", hint: Self.modeHint)
        }
        let isOctal = digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
        guard isOctal, digits.utf8.count <= 4, let bits = UInt16(digits, radix: 8) else {
            throw part.error("Mode", "\(PlistString(digits).quoted) is not a mode", hint: Self.modeHint)
        }
        return FileMode(bits)
    }

    private static let modeHint = "write up to four octal digits, such as '0644'"

    private func time(_ part: DocumentPart) throws(OverlayError) -> Timestamp? {
        guard let text = try part.string("Time") else { return nil }
        guard let time = Timestamp(decimal: text) else {
            throw part.error(
                "Time", "\(PlistString(text).quoted) is not a time",
                hint: "write seconds since 1970 with nine decimal places, such as '1700000000.000000000'")
        }
        return time
    }

    private func attributes(_ part: DocumentPart) throws(OverlayError) -> [ExtendedAttribute]? {
        let key: PlistString = "Attributes"
        guard let value = part.entries[key] else { return nil }
        var attributes: [ExtendedAttribute] = []
        switch value {
        case .dictionary(let entries):
            for (name, value) in entries {
                guard let data = value.data else {
                    throw part.error(key, name, "must be data, not \(value.typeNameWithArticle)")
                }
                attributes.append(ExtendedAttribute(name: Array(name.string.utf8), value: data))
            }
        case .array(let elements):
            for (number, element) in elements.enumerated() {
                let part = try part.part(element, key, number)
                try part.checkKeys(Self.attributeKeys)
                guard let bytes = try name(part, "Name") else { throw part.missing("Name", hint: "write the attribute's name") }
                guard let value = part.entries["Value"] else {
                    throw part.missing("Value", hint: "write the attribute's data, which may be empty")
                }
                guard let data = value.data else {
                    throw part.error("Value", "must be data, not \(value.typeNameWithArticle)")
                }
                attributes.append(ExtendedAttribute(name: bytes, value: data))
            }
        default:
            throw part.error(key, "must be a dictionary, not \(value.typeNameWithArticle)")
        }
        return attributes.sorted { $0.name.isOrderedBefore($1.name) }
    }

    private func content(_ part: DocumentPart) throws(OverlayError) -> FileState.Content? {
        let size = try part.entries["Size"].map { value throws(OverlayError) in try number(value, part, ["Size"]) }
        let digest = try digest(part, "Digest")
        switch (size, digest) {
        case (let size?, let digest?):
            return FileState.Content(size: size, digest: digest, recipe: try recipe(part))
        case (nil, nil):
            guard part.entries["Chunks"] == nil else {
                throw part.missing("Digest", hint: "'Chunks' needs the 'Size' and 'Digest' of the complete file")
            }
            return nil
        case (nil, _): throw part.missing("Size", hint: "'Size' and 'Digest' go together")
        case (_, nil): throw part.missing("Digest", hint: "'Size' and 'Digest' go together")
        }
    }

    private func recipe(_ state: DocumentPart) throws(OverlayError) -> ContentRecipe? {
        guard let entries = try state.dictionary("Chunks") else { return nil }
        let part = DocumentPart(entries, at: state.place.appending("Chunks"))
        try part.checkKeys(Self.recipeKeys)
        guard let carried = try digest(part, "Carried") else {
            throw part.missing("Carried", hint: "write the digest of all carried bytes")
        }
        guard let elements = try part.array("Pieces") else {
            throw part.missing("Pieces", hint: "write [OFFSET, LENGTH] for copied bytes and [LENGTH] for carried bytes")
        }
        var pieces: [ContentRecipe.Piece] = []
        pieces.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            let place = PlistString(String(index))
            guard let numbers = element.array, numbers.count == 1 || numbers.count == 2 else {
                throw part.error("Pieces", index, "must be [OFFSET, LENGTH] or [LENGTH]")
            }
            let first = try number(numbers[0], part, ["Pieces", place, "0"])
            if numbers.count == 1 {
                pieces.append(.carried(length: first))
            } else {
                pieces.append(.copied(offset: first, length: try number(numbers[1], part, ["Pieces", place, "1"])))
            }
        }
        return ContentRecipe(pieces: pieces, carried: carried)
    }

    private func digest(_ part: DocumentPart, _ key: PlistString) throws(OverlayError) -> ContentDigest? {
        guard let text = try part.string(key) else { return nil }
        guard let digest = ContentDigest(hex: text) else {
            throw part.error(
                key, "\(PlistString(text).quoted) is not a digest", hint: "write a SHA-256 digest of 64 hexadecimal digits")
        }
        return digest
    }

    private func number(_ value: PlistValue, _ part: DocumentPart, _ steps: [PlistString]) throws(OverlayError) -> UInt64 {
        if let number = value.integer?.uint64 { return number }
        if isUntyped, let text = value.string?.string, text.utf8.first != UInt8(ascii: "+"), let number = UInt64(text) {
            return number
        }
        let what = value.integer != nil ? "a negative number" : value.typeNameWithArticle
        throw OverlayError(.invalid, "\(steps[0]): must be a number of bytes, not \(what)", in: part.place(steps))
    }

    /// Reads bytes that are a string where XML can hold them as text, and data otherwise.
    private func name(_ part: DocumentPart, _ key: PlistString) throws(OverlayError) -> [UInt8]? {
        guard let value = part.entries[key] else { return nil }
        guard let bytes = value.nameBytes else {
            throw part.error(key, "must be a string, or data if it is not UTF-8, not \(value.typeNameWithArticle)")
        }
        return bytes
    }
}

extension FileRecord {
    package var propertyList: PlistValue {
        var entries: PlistDictionary = ["Path": .name(path.bytes)]
        if let old { entries["Old"] = old.propertyList }
        if let new { entries["New"] = new.propertyList }
        return .dictionary(entries)
    }
}

extension FileState {
    fileprivate var propertyList: PlistValue {
        var entries: PlistDictionary = ["Kind": .string(PlistString(kind.word))]
        if let mode { entries["Mode"] = .string(PlistString(mode.octal)) }
        if let modified { entries["Time"] = .string(PlistString(modified.decimal)) }
        if let attributes { entries["Attributes"] = Self.list(attributes) }
        if !target.isEmpty { entries["Target"] = .name(target) }
        if let content {
            entries["Size"] = .integer(PlistInteger(content.size))
            entries["Digest"] = .string(PlistString(content.digest.hex))
            entries["Chunks"] = content.recipe?.propertyList
        }
        return .dictionary(entries)
    }

    private static func list(_ attributes: [ExtendedAttribute]) -> PlistValue {
        var entries = PlistDictionary()
        for attribute in attributes {
            guard let name = PlistValue.name(attribute.name).string else {
                // A key is text in every encoding, so names that are not text need another form.
                return .array(attributes.map { .dictionary(["Name": .name($0.name), "Value": .data($0.value)]) })
            }
            entries[name] = .data(attribute.value)
        }
        return .dictionary(entries)
    }
}

extension ContentRecipe {
    fileprivate var propertyList: PlistValue {
        let pieces = pieces.map { piece -> PlistValue in
            switch piece {
            case .copied(let offset, let length): .array([.integer(PlistInteger(offset)), .integer(PlistInteger(length))])
            case .carried(let length): .array([.integer(PlistInteger(length))])
            }
        }
        return .dictionary(["Carried": .string(PlistString(carried.hex)), "Pieces": .array(pieces)])
    }
}
