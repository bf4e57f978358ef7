import CapsulePropertyList

/// The least that a match is tried on: a line, or of a row that was modified a column, or a place inside of that.
enum DetailPart {
    case whole(ChangeDetail)
    case column(RowChange, RowChange.Column, PlistChange?)

    /// The parts of a line; none of one that tells of no change.
    static func parts(of detail: ChangeDetail) -> [DetailPart] {
        guard detail.isChange else { return [] }
        guard case .row(let row) = detail.content, row.operation == .modified, !row.columns.isEmpty else {
            return [.whole(detail)]
        }
        return row.columns.flatMap { parts(of: $0, in: row) }
    }

    /// The parts of a column of a row that was modified.
    static func parts(of column: RowChange.Column, in row: RowChange) -> [DetailPart] {
        column.nested.isEmpty ? [.column(row, column, nil)] : column.nested.map { .column(row, column, $0) }
    }
}

extension DetailPart {
    /// Whether a value that a match may ask for is hidden, or not kept as a whole.
    var hasUnknownValue: Bool {
        switch self {
        case .column(let row, let column, let nested):
            column.nestedGap != nil || nested?.isUnknown ?? false || row.hasUnknownValue
        case .whole(let detail):
            switch detail.content {
            case .value(let change): change.isUnknown
            case .row(let row): row.hasUnknownValue
            case .cookie(let change): change.fields.contains { RowChange.isUnknown($0.old) || RowChange.isUnknown($0.new) }
            case .metadata(let change): RowChange.isUnknown(change.old) || RowChange.isUnknown(change.new)
            default: false
            }
        }
    }
}

extension DetailPart {
    /// Why it is not known whether a match fits that asks for an unknown value.
    ///
    /// - Parameter place: where the part is and what it is, on one line.
    func doubt(of match: ChangeMatch, at place: String) -> ExpectationResult.Doubt {
        guard let pointer = match.pointer, let gap = nestedGap(outside: pointer), gap != .notKept else {
            return .notKept(at: place)
        }
        return .notCompared(as: "plist", reason: "\(gap.text): \(place)")
    }

    /// Why property lists in the value were not compared, where a pattern asks for places in them and not for the value's own.
    private func nestedGap(outside pointer: PlacePattern) -> NestedGap? {
        let change: PlistChange
        switch self {
        case .column(_, let column, nil): return column.nestedGap
        case .column(_, _, let nested?): change = nested
        case .whole(let detail):
            guard case .value(let found) = detail.content else { return nil }
            change = found
        }
        return pointer.matches(change.pointer.steps) ? nil : change.nestedGap
    }
}

extension RowChange {
    fileprivate var hasUnknownValue: Bool {
        key.contains { Self.isUnknown($0.value) } || columns.contains { Self.isUnknown($0.old) || Self.isUnknown($0.new) }
    }

    fileprivate static func isUnknown(_ value: ShownValue?) -> Bool { value.map { $0.whole == nil } ?? false }

    /// What a match may call the table.
    var tableNames: [String] { [table, entity, owner].compactMap { $0 } }

    /// What a column holds, by its SQL name or the attribute's; the newer value where there are two.
    func value(of column: String) -> ShownValue? {
        if let key = key.first(where: { $0.column == column }) { return key.value }
        guard let found = columns.first(where: { $0.name == column || $0.attribute == column }) else { return nil }
        return found.new ?? found.old
    }
}

extension SchemaChange {
    /// What a match may call the table.
    var tableNames: [String] { [name, entity].compactMap { $0 } }
}

extension PlistChange {
    /// Both sides as matches look at them; of an encoding, its word.
    var sides: (old: ShownValue?, new: ShownValue?) {
        if case .encoding(let old, let new) = kind {
            return (.text(old.word), .text(new.word))
        }
        return (
            old.map { secrets.contains(.old) ? .hidden(SecretData.word) : .value($0) },
            new.map { secrets.contains(.new) ? .hidden(SecretData.word) : .value($0) }
        )
    }
}

extension NamePattern {
    /// Whether the whole of a name fits.
    func matches(_ name: String) -> Bool { matches(PlistString(name)) }
}
