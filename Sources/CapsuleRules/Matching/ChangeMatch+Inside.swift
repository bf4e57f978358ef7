import CapsuleCore
import CapsulePropertyList

extension ChangeMatch {
    /// Searches for a matching place inside a value that one detail reports as a whole.
    ///
    /// Only guards, and rules that take changes out of noise, use this: in other clauses and rules, a pointer stands for a change
    /// with a detail of its own.
    func fitsInside(_ part: DetailPart) -> NestedMatchSearch.Presence {
        guard let pointer else { return .nothing }
        switch part {
        case .whole(let detail):
            switch detail.content {
            case .value(let change):
                guard !isAboutTables else { return .nothing }
                return places(pointer).find(change)
            case .row(let row) where row.operation != .modified:
                return fits(row) { column in
                    places(pointer, [.row, row.operation.kinds]).find(below: [], old: .init(column.old), new: .init(column.new))
                }
            default:
                return .nothing
            }
        case .column(let row, let column, let nested):
            guard let nested else { return .nothing }
            return fits(row, only: column) { _ in places(pointer, [.row, row.operation.kinds]).find(nested) }
        }
    }

    /// Returns the first matching place inside a document that only one side has, as a change; nil if there is none.
    func placeInside(_ part: DetailPart) -> PlistChange? {
        guard let pointer, !isAboutTables, case .whole(let detail) = part, case .value(let change) = detail.content else {
            return nil
        }
        var found: PlistChange?
        var search = places(pointer)
        search.onFind = { place, value in
            found = PlistChange(
                change.new == nil ? .deleted(value) : .added(value), at: PlistPointer(steps: place), naming: change.naming)
        }
        return search.find(change) == .aChange ? found : nil
    }

    /// - Parameter others: the further kinds that a change at such a place has.
    private func places(_ pointer: MatchPointerPattern, _ others: ChangeKinds = []) -> NestedMatchSearch {
        NestedMatchSearch(pointer) { kinds in
            fits(kinds.union(others))
        } fitsValues: { old, new in
            fits((old.map { .value($0) }, new.map { .value($0) }), false)
        }
    }

    /// Returns the strongest finding in the columns of a row. It is at most `unknown` if the row matches only by assuming unknown
    /// values.
    private func fits(
        _ row: RowChange, only column: RowChange.Column? = nil, _ find: (RowChange.Column) -> NestedMatchSearch.Presence
    ) -> NestedMatchSearch.Presence {
        guard fitsPlace(of: row, true) else { return .nothing }
        var found = NestedMatchSearch.Presence.nothing
        for column in column.map({ [$0] }) ?? row.columns where fitsName(of: column) { found = max(found, find(column)) }
        return found == .aChange && !fitsPlace(of: row, false) ? .unknown : found
    }
}

extension NestedMatchSearch {
    fileprivate func find(_ change: PlistChange) -> Presence {
        if case .order = change.kind { return .nothing }
        return find(below: change.pointer.steps, old: Side(value: change.old), new: Side(value: change.new))
    }
}

extension NestedMatchSearch.Side {
    fileprivate init(_ shown: DisplayValue?) { self.init(value: shown?.whole, isCell: true) }
}

/// Searches for matching places inside values that a diff reports as one change, because only one side has the value or the other
/// side has something else in its place.
struct NestedMatchSearch {
    enum Presence: Int, Comparable {
        case nothing
        /// Content that was not searched may match.
        case unknown
        case aChange

        static func < (left: Presence, right: Presence) -> Bool { left.rawValue < right.rawValue }
    }

    struct Side {
        let value: PlistValue?
        var isCell = false
    }

    private struct WorkItem {
        let value: PlistValue
        let place: [PlistString]
        let documents: Int
    }

    /// The remaining limits of one search. A judgement may have many rules, each of which searches large values.
    struct Budget {
        var places = 1 << 19
        var documents = NestedPlists.graphLimit
        var bytes = NestedPlists.byteLimit
        var failures = NestedPlists.failureLimit

        /// Deducts a document from the budget. Returns false if not enough is left for it.
        fileprivate mutating func takes(document length: Int) -> Bool {
            guard documents > 0, failures > 0, length <= bytes else { return false }
            documents -= 1
            bytes -= length
            return true
        }
    }

    private let pattern: MatchPointerPattern
    private let fitsKinds: (ChangeKinds) -> Bool
    /// Returns true if the values of a change match. A side without a value is nil.
    private let fitsValues: (_ old: PlistValue?, _ new: PlistValue?) -> Bool
    var onFind: (([PlistString], PlistValue) -> Void)?

    init(
        _ pattern: MatchPointerPattern, fitsKinds: @escaping (ChangeKinds) -> Bool,
        fitsValues: @escaping (_ old: PlistValue?, _ new: PlistValue?) -> Bool
    ) {
        self.pattern = pattern
        self.fitsKinds = fitsKinds
        self.fitsValues = fitsValues
    }

    /// Searches for a matching place strictly below a place at which two values differ.
    func find(below place: [PlistString], old: Side, new: Side) -> Presence {
        guard pattern.leadsBelow(place) else { return .nothing }
        var found = Presence.nothing
        var budgets = (added: Budget(), deleted: Budget())
        if fitsKinds(old.value == nil ? [.value, .added] : [.value, .added, .modified]) {
            found = search(new, at: place, &budgets.added) { value, inner in
                let other = old.value.flatMap { Self.value(in: $0, at: inner) }
                if other == value { return false }
                return fitsKinds(other == nil ? [.value, .added] : [.value, .modified]) && fitsValues(other, value)
            }
        }
        guard found != .aChange, fitsKinds([.value, .deleted]) else { return found }
        let deleted = search(old, at: place, &budgets.deleted) { value, inner in
            if let newer = new.value, Self.value(in: newer, at: inner) != nil { return false }
            return fitsValues(value, nil)
        }
        return max(found, deleted)
    }

    private func search(
        _ side: Side, at place: [PlistString], _ budget: inout Budget, _ fits: (PlistValue, ArraySlice<PlistString>) -> Bool
    ) -> Presence {
        guard let value = side.value else { return .nothing }
        var found = Presence.nothing
        var pending = [WorkItem(value: value, place: place, documents: 0)]
        while let step = pending.popLast() {
            if step.place.count > place.count, pattern.matches(step.place), fits(step.value, step.place[place.count...]) {
                onFind?(step.place, step.value)
                return .aChange
            }
            guard step.place.count < PlistPointer.maximumSteps, pattern.leadsBelow(step.place) else { continue }
            let inner = children(of: step)
            budget.places -= inner.count + 1
            guard budget.places >= 0 else { return max(found, .unknown) }
            pending += inner
            let documents = documents(in: step, isCell: side.isCell && step.place.count == place.count, &budget)
            pending += documents.steps
            found = max(found, documents.finding)
        }
        return found
    }

    private func children(of step: WorkItem) -> [WorkItem] {
        switch step.value {
        case .dictionary(let entries):
            var children: [WorkItem] = []
            for (key, value) in entries where pattern.mayMatch(below: step.place + [key]) {
                children.append(WorkItem(value: value, place: step.place + [key], documents: step.documents))
            }
            return children
        case .array(let elements):
            return elements.enumerated().flatMap { index, element in
                ([PlistString(String(index))] + pattern.selectors(of: element)).compactMap { name in
                    let place = step.place + [name]
                    guard pattern.mayMatch(below: place) else { return nil }
                    return WorkItem(value: element, place: place, documents: step.documents)
                }
            }
        default:
            return []
        }
    }

    /// Returns the documents inside a value: data or a text decoded as a property list, and a keyed archive as the tree of its
    /// graph.
    private func documents(in step: WorkItem, isCell: Bool, _ budget: inout Budget) -> (steps: [WorkItem], finding: Presence) {
        let places = (plist: step.place + [DiffPath.plistStep], archive: step.place + [DiffPath.archiveStep])
        let leads = (plist: pattern.mayMatch(below: places.plist), archive: pattern.mayMatch(below: places.archive))
        guard leads.plist || leads.archive else { return ([], .nothing) }
        var content = step.value
        var steps: [WorkItem] = []
        if let bytes = Self.document(step.value, isText: isCell) {
            let isInReach = step.documents < NestedPlists.depthLimit && budget.takes(document: bytes.count)
            guard isInReach, let read = NestedPlists.contents(of: bytes)?.value else {
                return ([], ContentHead.isEncodedPlist(Array(bytes.prefix(ContentHead.byteCount))) ? .unknown : .nothing)
            }
            content = read
            if leads.plist { steps.append(WorkItem(value: content, place: places.plist, documents: step.documents + 1)) }
        }
        guard leads.archive, let entries = content.dictionary, KeyedArchive.isArchive(content) else { return (steps, .nothing) }
        guard step.documents < NestedPlists.depthLimit, budget.takes(document: 0) else { return (steps, .unknown) }
        guard let graph = try? NestedPlists.tree(of: entries) else {
            budget.failures -= 1
            return (steps, .unknown)
        }
        return (steps + [WorkItem(value: graph, place: places.archive, documents: step.documents + 1)], .nothing)
    }

    private static func document(_ value: PlistValue, isText: Bool) -> [UInt8]? {
        switch value {
        case .data(let bytes): NestedPlists.isDocument(bytes) ? bytes : nil
        case .string(let text) where isText:
            NestedPlists.isDocument(Array(text.utf8.prefix(ContentHead.byteCount))) ? Array(text.utf8) : nil
        default: nil
        }
    }

    static func value(in root: PlistValue, at steps: ArraySlice<PlistString>) -> PlistValue? {
        var value = root
        for step in steps {
            switch value {
            case .dictionary(let entries):
                guard let next = entries[step] else { return nil }
                value = next
            case .array(let elements):
                guard let index = Int(step.string), elements.indices.contains(index) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }
}
