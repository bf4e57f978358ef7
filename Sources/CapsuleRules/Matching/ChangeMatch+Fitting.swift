import CapsuleCore
import CapsulePropertyList

extension ChangeMatch {
    /// Returns true if a part of a detail matches, provided that the entry's path does.
    ///
    /// - Parameter assumesUnknown: true to let values that are hidden or cut match as far as their known part does.
    func fits(_ part: DetailPart, assumingUnknown assumesUnknown: Bool = false) -> Bool {
        switch part {
        case .whole(let detail): fits(whole: detail, assumesUnknown)
        case .column(let row, let column, let nested): fits(column, nested, of: row, assumesUnknown)
        }
    }

    /// True if the match depends on values, some of which may not be known.
    var asksForValues: Bool { pointer != nil || from != nil || to != nil || !row.isEmpty }

    private func fits(whole detail: ChangeDetail, _ assumesUnknown: Bool) -> Bool {
        guard detail.isChange else { return false }
        if assumesUnknown, case .value(let change) = detail.content, change.nestedGap != nil, !isAboutTables,
            mayFit(inDataAt: change.pointer.steps)
        {
            return true
        }
        guard fits(detail.kinds) else { return false }
        switch detail.content {
        case .value(let change):
            return !isAboutTables && pointer?.matches(change.pointer.steps) ?? true && fits(change.sides, assumesUnknown)
        case .row(let row):
            return fits(whole: row, assumesUnknown)
        case .schema(let change):
            guard pointer == nil, column == nil, row.isEmpty else { return false }
            if let table {
                // A rule about a table's rows doesn't match a change of the table itself.
                let isTable = ["table", "virtual table"].contains(change.object)
                guard isTable, kinds?.contains(.schema) ?? false else { return false }
                guard change.tableNames.contains(where: { table.matches($0) }) else { return false }
            }
            return fits((change.old.map { .text($0) }, change.new.map { .text($0) }), assumesUnknown)
        case .cookie(let change):
            guard pointer == nil, table == nil, column == nil else { return false }
            let value = change.fields.first { $0.name == "value" }
            let record = row.isEmpty ? [:] : change.record
            return row.allSatisfy { $0.form.fits(record[$0.column.string], assumesUnknown) }
                && fits((value?.old, value?.new), assumesUnknown)
        case .metadata(let change):
            return !isAboutPlaces && fitsName(of: change.field) && fits((change.old, change.new), assumesUnknown)
        case .encoding(let change):
            return !isAboutPlaces && fits((.text(change.old), .text(change.new)), assumesUnknown)
        case .text, .bytes, .image:
            return !needsDetail
        case .fallback, .limit:
            return false
        }
    }

    /// Returns true if a row that is reported as a whole matches. Such a row is more than any of its columns, so a match that names
    /// a column or a value must also name a kind.
    private func fits(whole row: RowChange, _ assumesUnknown: Bool) -> Bool {
        guard pointer == nil, fitsPlace(of: row, assumesUnknown) else { return false }
        guard column != nil || from != nil || to != nil else { return true }
        return kinds != nil && row.columns.contains { fitsName(of: $0) && fits(($0.old, $0.new), assumesUnknown) }
    }

    private func fits(_ column: RowChange.Column, _ nested: PlistChange?, of row: RowChange, _ assumesUnknown: Bool) -> Bool {
        guard fitsPlace(of: row, assumesUnknown), fitsName(of: column) else { return false }
        let rowKinds: ChangeKinds = [.row, row.operation.kinds]
        guard let pointer else { return fits(rowKinds) && fits((column.old, column.new), assumesUnknown) }
        if assumesUnknown, nested != nil, column.nestedGap != nil, mayFit(inDataAt: [], with: rowKinds) { return true }
        // Content that was not compared may hold any kind of change at any place.
        guard let nested else { return assumesUnknown && column.nestedGap != nil && mayFit(inDataAt: [], with: rowKinds) }
        if assumesUnknown, nested.nestedGap != nil, mayFit(inDataAt: nested.pointer.steps, with: rowKinds) { return true }
        return fits(rowKinds.union(nested.kinds)) && pointer.matches(nested.pointer.steps) && fits(nested.sides, assumesUnknown)
    }

    var isAboutTables: Bool { table != nil || column != nil || !row.isEmpty }
    private var isAboutPlaces: Bool { pointer != nil || isAboutTables }
    func fits(_ found: ChangeKinds) -> Bool { kinds.map { !$0.isDisjoint(with: found) } ?? true }

    func fits(_ sides: (old: DisplayValue?, new: DisplayValue?), _ assumesUnknown: Bool) -> Bool {
        from?.fits(sides.old, assumesUnknown) ?? true && to?.fits(sides.new, assumesUnknown) ?? true
    }

    func fitsPlace(of change: RowChange, _ assumesUnknown: Bool) -> Bool {
        if let table, !change.tableNames.contains(where: { table.matches($0) }) { return false }
        return row.allSatisfy { test in test.form.fits(change.value(of: test.column.string), assumesUnknown) }
    }

    private func fitsName(of field: MetadataChange.Field) -> Bool {
        guard let attribute else { return true }
        guard case .attribute(let name) = field else { return false }
        return attribute.matches(String(decoding: name, as: UTF8.self))
    }

    func fitsName(of found: RowChange.Column) -> Bool {
        guard let column else { return true }
        return column.matches(found.name) || found.attribute.map { column.matches($0) } ?? false
    }
}

extension ChangeMatch {
    func mayFit(behind fallback: HandlerFallback) -> Bool {
        if let archive = fallback.archive {
            guard let pointer, kinds.map({ !$0.isDisjoint(with: .ofPlaces) }) ?? true else { return false }
            return !isAboutTables && pointer.mayMatch(below: archive.steps + [DiffPath.archiveStep])
        }
        let hidden = fallback.hiddenKinds
        return !isAboutPathsAlone && mayFit(hidden) && kinds.map { !$0.isDisjoint(with: hidden) } ?? true
    }

    /// Returns true if the match may fit a change that a detail hides: its content was compared by a fallback, or only in part.
    func mayFit(behind content: ChangeDetail.Content) -> Bool {
        switch content {
        case .fallback(let fallback): mayFit(behind: fallback)
        case .limit(let limit): !limit.isJudged && needsDetail
        default: false
        }
    }

    /// Returns true if a part of a detail matches. With `assumingUnknown`, unknown values and places inside the part may match,
    /// too.
    func mayFit(_ part: DetailPart, assumingUnknown: Bool) -> Bool {
        fits(part, assumingUnknown: assumingUnknown) || assumingUnknown && fitsInside(part) != .nothing
    }

    func mayFit(metadata facts: MetadataGap.Facts) -> Bool {
        guard let kinds, kinds.contains(.metadata), mayFit(.metadata) else { return false }
        guard facts == .mode else { return true }
        if attribute != nil { return false }
        // A mode is never absent.
        return ![from, to].contains { $0?.fits(nil) ?? false }
    }

    /// Returns true if a place may match inside data that was not compared as a document.
    ///
    /// - Parameters:
    ///   - others: the further kinds that a change at such a place has, such as those of its row.
    func mayFit(inDataAt place: [PlistString], with others: ChangeKinds = []) -> Bool {
        guard let pointer, kinds.map({ !$0.isDisjoint(with: others.union(.ofPlaces)) }) ?? true else { return false }
        return DiffPath.documentSteps.contains { pointer.mayMatch(below: place + [$0]) }
    }
}

extension ChangeKinds {
    static let ofPlaces: ChangeKinds = [.value, .encoding, .added, .deleted, .modified, .order]
}

extension HandlerFallback {
    fileprivate var hiddenKinds: ChangeKinds {
        switch from {
        case "plist", "json": .ofPlaces
        // Columns can hold property lists, so places are included.
        case "sqlite": ChangeKinds.ofPlaces.union([.row, .schema])
        case "cookies": ChangeKinds.ofPlaces.union(.cookie)
        case "image": [.image, .modified]
        case "text": [.text, .encoding, .modified]
        default: ChangeKinds.all.subtracting([.renamed, .type, .metadata])
        }
    }
}

extension ChangeDetail {
    /// The kinds that places inside a value or a row can have when one detail reports it as a whole.
    var kindsInside: ChangeKinds {
        switch content {
        case .value, .row: .ofPlaces
        default: []
        }
    }
}

/// The smallest unit that a match is tested against: a detail, a column of a modified row, or a place inside such a column.
enum DetailPart {
    case whole(ChangeDetail)
    case column(RowChange, RowChange.Column, PlistChange?)

    /// Returns the parts of a detail; none if the detail is not a change.
    static func parts(of detail: ChangeDetail) -> [DetailPart] {
        guard detail.isChange else { return [] }
        guard case .row(let row) = detail.content, row.operation == .modified, !row.columns.isEmpty else {
            return [.whole(detail)]
        }
        return row.columns.flatMap { parts(of: $0, in: row) }
    }

    static func parts(of column: RowChange.Column, in row: RowChange) -> [DetailPart] {
        column.nested.isEmpty ? [.column(row, column, nil)] : column.nested.map { .column(row, column, $0) }
    }
}

extension DetailPart {
    var hasUnknownValue: Bool {
        switch self {
        case .column(let row, let column, let nested):
            column.nestedGap != nil || nested?.nestedGap != nil || row.hasUnknownValue
        case .whole(let detail):
            switch detail.content {
            case .value(let change): change.nestedGap != nil
            case .row(let row): row.hasUnknownValue
            case .cookie(let change): change.fields.contains { RowChange.isUnknown($0.old) || RowChange.isUnknown($0.new) }
            case .metadata(let change): RowChange.isUnknown(change.old) || RowChange.isUnknown(change.new)
            default: false
            }
        }
    }
}

extension RowChange {
    fileprivate var hasUnknownValue: Bool {
        key.contains { Self.isUnknown($0.value) } || columns.contains { Self.isUnknown($0.old) || Self.isUnknown($0.new) }
    }

    fileprivate static func isUnknown(_ value: DisplayValue?) -> Bool { value.map { $0.whole == nil } ?? false }
    var tableNames: [String] { [table, entity, owner].compactMap { $0 } }

    /// Returns the value of a column, found by its SQL name or its attribute. If there are two values, returns the newer one.
    func value(of column: String) -> DisplayValue? {
        if let key = key.first(where: { $0.column == column }) { return key.value }
        func isNamed(_ found: Column) -> Bool { found.name == column || found.attribute == column }
        guard let found = columns.first(where: isNamed) ?? nulls.first(where: isNamed) else { return nil }
        return found.new ?? found.old ?? .value(.null)
    }
}

extension SchemaChange {
    var tableNames: [String] { [name, entity].compactMap { $0 } }
}

extension PlistChange {
    /// Both sides as matches see them. For a change of encoding, these are the words for the encodings.
    var sides: (old: DisplayValue?, new: DisplayValue?) {
        if case .encoding(let old, let new) = kind {
            return (.text(old.word), .text(new.word))
        }
        return (shownOld, shownNew)
    }
}

extension NamePattern {
    package func matches(_ name: String) -> Bool { matches(PlistString(name)) }
}
