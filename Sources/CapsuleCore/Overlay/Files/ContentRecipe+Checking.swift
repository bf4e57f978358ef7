extension ContentRecipe {
    /// Why a recipe makes no content; pieces by their numbers.
    enum Flaw: Equatable {
        case empty(piece: Int)
        /// It is copied, and there is nothing to copy it from.
        case sourceless(piece: Int)
        /// It goes beyond what it is copied from.
        case beyond(piece: Int)
        /// With it the pieces are longer than the content.
        case tooLong(piece: Int)
        /// All pieces together make up so many bytes, and the content has more.
        case tooShort(UInt64)
    }

    /// The first flaw; nil for a sound recipe.
    ///
    /// - Parameters:
    ///   - size: how long the content is that it makes, in bytes.
    ///   - other: how long the other state's content is; nil where there is none.
    func flaw(makingUp size: UInt64, of other: UInt64?) -> Flaw? {
        var sum: UInt64 = 0
        for (number, piece) in pieces.enumerated() {
            guard piece.length > 0 else { return .empty(piece: number) }
            if case .copied(let offset, let length) = piece {
                guard let other else { return .sourceless(piece: number) }
                let (end, overflows) = offset.addingReportingOverflow(length)
                guard !overflows, end <= other else { return .beyond(piece: number) }
            }
            let (next, overflows) = sum.addingReportingOverflow(piece.length)
            guard !overflows, next <= size else { return .tooLong(piece: number) }
            sum = next
        }
        return sum == size ? nil : .tooShort(sum)
    }

    /// What is wrong with a recipe that comes from elsewhere, lower case, no period; nil for a sound one.
    ///
    /// - Parameters:
    ///   - size: how long the content is that it makes, in bytes.
    ///   - other: how long the other state's content is; nil where there is none.
    public func problem(makingUp size: UInt64, of other: UInt64?) -> String? {
        switch flaw(makingUp: size, of: other) {
        case nil: nil
        case .empty: "a piece is empty"
        case .sourceless: "a piece is copied, but there is no content to copy from"
        case .beyond: "a piece extends past the end of the content it is copied from"
        case .tooLong: "the pieces are longer than the content"
        case .tooShort: "the pieces are shorter than the content"
        }
    }
}
