/// Takes the changes that a comparison finds, in order, and classifies each of them once. The comparison itself knows no rule.
package protocol ChangeSink: AnyObject {
    /// Returns true if the rows of a table must be read to be counted.
    ///
    /// - Parameter names: the names that rules may use for the table; nil if only its rows show them.
    func needsRows(of names: [String]?) -> Bool
    /// Returns a change with its class of noise. What the comparison itself found to be noise has a class already.
    func classified(_ detail: ChangeDetail) -> ChangeDetail
    /// Takes a classified change, or a note on what was not compared.
    ///
    /// - Parameter isKept: true if the comparison has room for it, so that reports show it.
    func take(_ detail: ChangeDetail, isKept: Bool)
    /// Counts a row that is not kept and doesn't have to be read.
    func countRow(_ operation: ChangeOperation)
}

extension ChangeSink {
    package func add(_ content: ChangeDetail.Content, noise: NoiseClass? = nil, isKept: Bool = true) {
        take(classified(ChangeDetail(content, noise: noise)), isKept: isKept)
    }
}

/// Collects the changes that a comparison keeps, where nothing judges them.
package final class ChangeList: ChangeSink {
    package private(set) var details: [ChangeDetail] = []

    package init() {}

    package func needsRows(of names: [String]?) -> Bool { false }
    package func classified(_ detail: ChangeDetail) -> ChangeDetail { detail }
    package func take(_ detail: ChangeDetail, isKept: Bool) { if isKept { details.append(detail) } }
    package func countRow(_ operation: ChangeOperation) {}
}
