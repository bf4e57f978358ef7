/// Classifies the changes of a comparison, and takes those that it doesn't keep. The comparison itself knows no rule.
package protocol ChangeSink: AnyObject {
    /// Returns true if the rows of a table must be read to be counted.
    ///
    /// - Parameter names: the names that rules may use for the table; nil if only its rows show them.
    func needsRows(of names: [String]?) -> Bool
    /// Returns a change with its class of noise.
    func classified(_ content: ChangeDetail.Content) -> ChangeDetail
    /// Takes a classified change that the comparison doesn't keep.
    func add(_ detail: ChangeDetail)
    /// Counts a row that is not kept and doesn't have to be read.
    func countRow(_ operation: ChangeOperation)
}

extension ChangeSink {
    package func add(_ content: ChangeDetail.Content) { add(classified(content)) }
}
