/// A piece of a text that names are expanded in.
enum ExpansionPart {
    case literal([UInt8])
    case reference(ExpansionReference)
}

/// `$(NAME:OPERATOR:OPERATOR=TEXT)`, taken apart.
struct ExpansionReference {
    /// As it is written, for messages.
    let spelling: String
    /// May hold references itself.
    let name: [ExpansionPart]
    /// In order; an operator that takes no text has an empty one.
    let operators: [(operation: ExpansionOperator, operand: [ExpansionPart])]
}
