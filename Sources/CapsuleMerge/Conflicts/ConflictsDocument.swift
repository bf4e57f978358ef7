package import CapsuleCore
package import CapsulePropertyList

/// A conflicts file: the conflicts of a merge, and the decisions on them (docs/merge.md, section 3).
///
/// Values keep their types: a file in JSON uses the typed form (`JSONPlistOptions.typed`). XML can't hold null and fractions of
/// seconds.
package struct ConflictsDocument: Hashable, Sendable {
    /// One of the three inputs of a merge.
    package struct Input: Hashable, Sendable {
        /// The location that the input was read from, as raw bytes.
        package var source: [UInt8]
        /// The digest that shows if the input is still the same.
        package var digest: String

        package init(source: [UInt8], digest: String) {
            self.source = source
            self.digest = digest
        }
    }

    package var base: Input
    package var ours: Input
    package var theirs: Input
    package var conflicts: [Conflict]

    package init(base: Input, ours: Input, theirs: Input, conflicts: [Conflict]) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.conflicts = conflicts
    }

    /// The decisions, by the numbers of the conflicts. Open conflicts have none.
    package var resolutions: [String: Resolution] {
        var resolutions: [String: Resolution] = [:]
        for conflict in conflicts { resolutions[conflict.id] = conflict.resolution }
        return resolutions
    }
}

extension ConflictsDocument {
    package static let mark: PlistString = "CapsuleConflicts"

    package var document: PlistValue {
        [
            Self.mark: 1, "Base": base.propertyList, "Ours": ours.propertyList, "Theirs": theirs.propertyList,
            "Conflicts": .array(conflicts.map(\.propertyList)),
        ]
    }
}

extension ConflictsDocument.Input {
    fileprivate var propertyList: PlistValue { ["Source": .name(source), "Digest": .string(PlistString(digest))] }
}

extension Conflict {
    fileprivate var propertyList: PlistValue {
        var entries: PlistDictionary = ["Id": .string(PlistString(id)), "Kind": .string(PlistString(kind.rawValue))]
        func text(_ text: String?) -> PlistValue? { text.map { .string(PlistString($0)) } }
        entries["Path"] = path.map { .name($0.bytes) }
        entries["Pointer"] = text(pointer?.description)
        entries["At"] = range.map { [.integer(PlistInteger($0.lowerBound)), .integer(PlistInteger($0.count))] }
        entries["Table"] = text(table)
        entries["Row"] = row.map { .dictionary($0) }
        entries["Column"] = text(column)
        entries["Base"] = base
        entries["Ours"] = ours
        entries["Theirs"] = theirs
        entries["Reason"] = text(reason)
        entries["Take"] = text(resolution?.word)
        if case .value(let value)? = resolution { entries["Value"] = value }
        entries["By"] = text(decidedBy)
        return .dictionary(entries)
    }
}

extension ConflictsDocument {
    private static let keys = ["CapsuleConflicts", "Base", "Ours", "Theirs", "Conflicts"]

    package init(_ document: PlistValue) throws(OverlayError) {
        let part = try DocumentPart(document, marked: Self.mark)
        try part.checkKeys(Self.keys)
        let (base, ours) = (try Self.input(part, "Base"), try Self.input(part, "Ours"))
        let theirs = try Self.input(part, "Theirs")
        guard let items = try part.array("Conflicts") else {
            throw part.missing("Conflicts", hint: "keep the array of conflicts as 'merge' wrote it")
        }
        var conflicts: [Conflict] = []
        var places: [String: Int] = [:]
        for (number, item) in items.enumerated() {
            let entry = try part.part(item, "Conflicts", number)
            let conflict = try Conflict(entry)
            if let other = places.updateValue(number, forKey: conflict.id) {
                throw entry.error("Id", "\(PlistString(conflict.id).quoted) is already the Id of element \(other)")
            }
            conflicts.append(conflict)
        }
        self.init(base: base, ours: ours, theirs: theirs, conflicts: conflicts)
    }

    private static func input(_ document: DocumentPart, _ key: PlistString) throws(OverlayError) -> Input {
        guard let entries = try document.dictionary(key) else {
            throw document.missing(key, hint: "keep this input's 'Source' and 'Digest' as 'merge' wrote them")
        }
        let part = DocumentPart(entries, at: document.place(key))
        try part.checkKeys(["Source", "Digest"])
        guard let source = try part.name("Source") else {
            throw part.missing("Source", hint: "write where the input was read from")
        }
        guard let digest = try part.string("Digest") else { throw part.missing("Digest", hint: "keep it as 'merge' wrote it") }
        return Input(source: source, digest: digest)
    }
}

extension Conflict {
    private static let keys = [
        "Id", "Kind", "Path", "Pointer", "At", "Table", "Row", "Column", "Base", "Ours", "Theirs", "Reason", "Take", "Value",
        "By",
    ]

    fileprivate init(_ part: DocumentPart) throws(OverlayError) {
        try part.checkKeys(Self.keys)
        guard let id = try part.string("Id"), !id.isEmpty else {
            throw part.missing("Id", hint: "keep the Id as 'merge' wrote it")
        }
        self.init(
            try Self.kind(part), path: try Self.path(part),
            pointer: try part.string("Pointer").map { text throws(OverlayError) in try part.pointer(text, "Pointer") },
            base: part.entries["Base"], ours: part.entries["Ours"], theirs: part.entries["Theirs"],
            reason: try part.string("Reason") ?? "")
        self.id = id
        range = try Self.range(part)
        table = try part.string("Table")
        row = try part.dictionary("Row")
        column = try part.string("Column")
        resolution = try Self.resolution(part)
        decidedBy = try part.string("By")
        if decidedBy != nil, resolution == nil { throw part.error("By", "needs a 'Take'") }
    }

    private static func kind(_ part: DocumentPart) throws(OverlayError) -> Kind {
        let words = Kind.allCases.map(\.rawValue)
        let hint = "use \(Suggestions.alternatives(words))"
        guard let word = try part.string("Kind") else { throw part.missing("Kind", hint: hint) }
        guard let kind = Kind(rawValue: word) else {
            throw part.error(
                "Kind", "\(PlistString(word).quoted) is not a kind of conflict",
                hint: Suggestions(for: word, among: words).hint ?? hint)
        }
        return kind
    }

    private static func path(_ part: DocumentPart) throws(OverlayError) -> RelativePath? {
        guard let bytes = try part.name("Path") else { return nil }
        if bytes.isEmpty { return .root }
        do throws(PathError) {
            return try RelativePath(validating: bytes)
        } catch {
            throw part.error("Path", "\(PlistString(String(decoding: bytes, as: UTF8.self)).quoted): \(error.message)")
        }
    }

    private static func range(_ part: DocumentPart) throws(OverlayError) -> Range<Int>? {
        guard let numbers = try part.array("At") else { return nil }
        let wrong = part.error("At", "must be a start and a count", hint: "keep it as 'merge' wrote it")
        guard numbers.count == 2, let first = numbers[0].integer?.int64, let count = numbers[1].integer?.int64,
            let lower = Int(exactly: first), let length = Int(exactly: count), lower >= 0, length >= 0
        else { throw wrong }
        let (upper, isTooLarge) = lower.addingReportingOverflow(length)
        guard !isTooLarge else { throw wrong }
        return lower..<upper
    }

    private static func resolution(_ part: DocumentPart) throws(OverlayError) -> Resolution? {
        let value = part.entries["Value"]
        let word = try part.string("Take")
        if word != "value", value != nil {
            throw part.error("Value", "is only valid with 'Take' = value", hint: "write 'Take' = value, or leave 'Value' out")
        }
        switch word {
        case nil: return nil
        case "base"?: return .base
        case "ours"?: return .ours
        case "theirs"?: return .theirs
        case "absent"?: return .absent
        case "value"?:
            guard let value else { throw part.missing("Value", hint: "write the value to take") }
            return .value(value)
        case let word?:
            let words = ["base", "ours", "theirs", "absent", "value"]
            throw part.error(
                "Take", "\(PlistString(word).quoted) is not a valid choice",
                hint: Suggestions(for: word, among: words).hint ?? "use \(Suggestions.alternatives(words))")
        }
    }
}

extension DocumentPart {
    fileprivate func name(_ key: PlistString) throws(OverlayError) -> [UInt8]? {
        guard let value = entries[key] else { return nil }
        guard let bytes = value.nameBytes else {
            throw error(key, "must be a string, or data if it is not UTF-8, not \(value.typeNameWithArticle)")
        }
        return bytes
    }
}
