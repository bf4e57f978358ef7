import CapsulePropertyList

extension ChangeMatch {
    /// Whether a place fits inside a value that one line reports as a whole.
    ///
    /// Only what guards asks for this: a pointer that is allowed, or has to change, means a line of its own.
    func fitsInside(_ part: DetailPart) -> InnerPlaces.Finding {
        guard let pointer else { return .nothing }
        switch part {
        case .whole(let detail):
            switch detail.content {
            case .value(let change):
                guard !isAboutTables else { return .nothing }
                return places(pointer).find(change)
            case .row(let row) where row.operation != .modified:
                return fits(row) { column in
                    places(pointer, [.row, row.operation.kinds]).find(
                        below: [], old: .init(column.old), new: .init(column.new))
                }
            default:
                return .nothing
            }
        case .column(let row, let column, let nested):
            guard let nested else { return .nothing }
            return fits(row, only: column) { _ in places(pointer, [.row, row.operation.kinds]).find(nested) }
        }
    }

    /// The first place that fits inside a document that one side alone has, as a change of its own; nil where there is none.
    func placeInside(_ part: DetailPart) -> PlistChange? {
        guard let pointer, !isAboutTables, case .whole(let detail) = part, case .value(let change) = detail.content else {
            return nil
        }
        var found: PlistChange?
        var search = places(pointer)
        search.onFind = { place, value in
            found = PlistChange(
                change.new == nil ? .deleted(value) : .added(value), at: PlistPointer(steps: place), secrets: change.secrets)
        }
        return search.find(change) == .aChange ? found : nil
    }

    /// - Parameter others: what else the line of such a place is.
    private func places(_ pointer: PlacePattern, _ others: ChangeKinds = []) -> InnerPlaces {
        InnerPlaces(pointer, asksForValues: from != nil || to != nil) { kinds in
            fits(kinds.union(others))
        } fitsValues: { old, new in
            fits((old.map { .value($0) }, new.map { .value($0) }), false)
        }
    }

    /// What is found in the columns of a row, as far as the row fits.
    private func fits(
        _ row: RowChange, only column: RowChange.Column? = nil, _ find: (RowChange.Column) -> InnerPlaces.Finding
    ) -> InnerPlaces.Finding {
        guard fitsPlace(of: row, true) else { return .nothing }
        var found = InnerPlaces.Finding.nothing
        for column in column.map({ [$0] }) ?? row.columns where fitsName(of: column) { found = max(found, find(column)) }
        return found == .aChange && !fitsPlace(of: row, false) ? .unknown : found
    }
}

extension InnerPlaces {
    fileprivate func find(_ change: PlistChange) -> Finding {
        if case .order = change.kind { return .nothing }
        return find(
            below: change.pointer.steps, old: Side(value: change.old, hasSecrets: change.secrets.contains(.old)),
            new: Side(value: change.new, hasSecrets: change.secrets.contains(.new)))
    }
}

extension InnerPlaces.Side {
    fileprivate init(_ shown: ShownValue?) { self.init(value: shown?.whole, isCell: true) }
}
