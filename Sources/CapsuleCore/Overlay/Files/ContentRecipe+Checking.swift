extension ContentRecipe {
    /// What is wrong with a recipe that comes from elsewhere, lower case, no period; nil for a sound one.
    ///
    /// - Parameters:
    ///   - size: how long the content is that it makes, in bytes.
    ///   - other: how long the other state's content is; nil where there is none.
    public func problem(makingUp size: UInt64, of other: UInt64?) -> String? {
        var sum: UInt64 = 0
        for piece in pieces {
            guard piece.length > 0 else { return "a piece is empty" }
            if case .copied(let offset, let length) = piece {
                guard let other else { return "a piece is copied, and there is nothing to copy it from" }
                let (end, overflows) = offset.addingReportingOverflow(length)
                guard !overflows, end <= other else { return "a piece goes beyond what it is copied from" }
            }
            let (next, overflows) = sum.addingReportingOverflow(piece.length)
            guard !overflows, next <= size else { return "the pieces are longer than the content" }
            sum = next
        }
        return sum == size ? nil : "the pieces are shorter than the content"
    }
}
