public import CapsulePropertyList

extension ConflictsDocument {
    /// The key that makes a property list a file of conflicts.
    public static let mark: PlistString = "CapsuleConflicts"

    /// The document, as ``init(_:)`` reads it.
    public var document: PlistValue {
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
    /// An item of a file of conflicts; what is not there is left out.
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
