import CapsulePropertyList

/// Rows without their secrets.
extension SecretCover {
    mutating func hiding(_ row: RowChange) -> RowChange {
        var row = row
        let outer = naming(of: row)
        defer { column = nil }
        for index in row.key.indices {
            let (column, value) = (row.key[index].column, row.key[index].value)
            self.column = column
            let name = row.key[index].isColumn ? self.name(of: column, nil, below: outer) : []
            row.key[index].value = hiding(value, name, kind(of: row, column, value, name))
        }
        for index in row.columns.indices {
            let column = row.columns[index]
            self.column = column.name
            row.columns[index] = hiding(column, of: row, name(of: column.name, column.attribute, below: outer))
        }
        return row
    }

    /// Returns the name that a row gives its columns: that of its table or entity, or the value of a column that names the others.
    private mutating func naming(of row: RowChange) -> SecretName {
        guard !ignoresNames else { return [] }
        let names = [row.table, row.entity, row.owner].compactMap { $0 }.map { name($0) }
        return (names.first { $0.contains(.group) } ?? []).union(row.naming)
    }

    private mutating func name(of column: String, _ attribute: String?, below outer: SecretName) -> SecretName {
        let own = name(column).union(attribute.map { name($0) } ?? [])
        let shown = attribute ?? column
        return own.below(outer, isField: SecretName.isField(shown) || Secrets.isPairColumn(shown))
    }

    private mutating func hiding(_ column: RowChange.Column, of row: RowChange, _ name: SecretName) -> RowChange.Column {
        var column = column
        let before = count
        let kinds = [column.old, column.new].map { kind(of: row, column.name, $0, name) }
        (column.old, column.new) = (column.old.map { hiding($0, name, kinds[0]) }, column.new.map { hiding($0, name, kinds[1]) })
        let isHidden = [column.old, column.new].contains { if case .hidden? = $0 { true } else { false } }
        if isHidden, kinds.contains(where: { $0 != nil }) {
            column.nested = []
        } else {
            column.nested = column.nested.map { hiding($0) }
        }
        if count > before + 1, column.nested.isEmpty { count = before + 1 }
        return column
    }

    private func kind(of row: RowChange, _ column: String, _ value: DisplayValue?, _ name: SecretName) -> String? {
        if row.isKeychain {
            switch value {
            case nil, .value(.null)?: return nil
            case .value(.data)?, .dataHead?, .external?: return Self.keychain
            default: if column.lowercased() == "data" { return Self.keychain }
            }
        }
        return name.contains(.secret) ? Self.kind(name) : nil
    }

    mutating func hiding(_ shown: DisplayValue, _ name: SecretName, _ kind: String?) -> DisplayValue {
        switch shown {
        case .value(let value):
            if kind == Self.keychain { return hidden(Self.keychain, shown) }
            guard let replaced = replacement(for: value, name) else { return shown }
            return Self.kind(of: replaced).map { .hidden($0) } ?? .value(replaced)
        case .textHead(let head, let count, _):
            if let kind { return hidden(kind) }
            return hiding(head.string, isCut: true).map { .textHead(PlistString($0), count: count) } ?? shown
        case .dataHead(let head, _, _):
            return (kind ?? self.kind(of: head, [], isCut: true)).map { hidden($0) } ?? shown
        case .external(let name, _, _):
            guard let kind else { return shown }
            note(.file(name))
            return hidden(kind)
        case .hidden: return shown
        }
    }

    mutating func hidden(_ kind: String, _ shown: DisplayValue? = nil) -> DisplayValue {
        if case .value(let value)? = shown { note(value) }
        count += 1
        return .hidden(kind)
    }
}
