/// Why a command line cannot be understood. The caller prints it and ends with status 64.
struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong with it, for callers and tests; messages are for people.
    struct Code: Sendable, Hashable {
        private enum Kind: Sendable {
            case unknownVerb, unknownForm, unknownFlag
            case missingValue, unexpectedValue, invalidValue
            case missingArgument, unexpectedArgument
            case conflict
        }

        private let kind: Kind

        /// No verb is called that.
        static var unknownVerb: Code { Code(kind: .unknownVerb) }
        /// The verb has forms, and none is called that.
        static var unknownForm: Code { Code(kind: .unknownForm) }
        /// The verb has no such flag.
        static var unknownFlag: Code { Code(kind: .unknownFlag) }
        /// The command line ends where a flag's value should stand.
        static var missingValue: Code { Code(kind: .missingValue) }
        /// A switch was given a value.
        static var unexpectedValue: Code { Code(kind: .unexpectedValue) }
        /// A value is not of the form that its flag or positional takes.
        static var invalidValue: Code { Code(kind: .invalidValue) }
        /// A positional that must be there is not.
        static var missingArgument: Code { Code(kind: .missingArgument) }
        /// There are more positionals than the verb takes.
        static var unexpectedArgument: Code { Code(kind: .unexpectedArgument) }
        /// Flags that cannot stand together, or one that needs another.
        static var conflict: Code { Code(kind: .conflict) }
    }

    let code: Code
    /// Lower case, no period, one line.
    let message: String
    /// What to do about it, in the same style.
    let hint: String?

    var description: String { hint.map { "\(message) (\($0))" } ?? message }
}
