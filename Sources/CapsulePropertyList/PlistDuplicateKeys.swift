/// What a reader does about a key that a dictionary holds twice, and what it has noted so far.
struct PlistDuplicateKeys {
    /// The encodings in which the last value of such a key counts.
    enum Policy {
        /// None: such a key is an error. For documents whose format is Capsule's own.
        case refused
        /// XML alone, as Apple's parser takes them there: `CFPropertyList.c` sets the value again.
        case lastOfXML
        case last

        fileprivate func isLenient(in format: PlistFormat) -> Bool {
            switch self {
            case .refused: false
            case .lastOfXML: format == .xml
            case .last: true
            }
        }
    }

    /// True to keep the last value and warn; false to fail.
    let isLenient: Bool
    let limit: Int
    private(set) var warnings: [PlistError] = []

    init(_ policy: Policy, in format: PlistFormat, limits: PlistLimits) {
        isLenient = policy.isLenient(in: format)
        limit = max(limits.warnings, 0)
    }

    /// False once there are enough warnings; finding the lines of another one would only take time.
    var wantsMore: Bool { warnings.count <= limit }

    /// Notes, or throws, that the dictionary at the pointer has a key twice.
    mutating func found(
        _ key: PlistString, at second: PlistLocation, first: PlistLocation, in pointer: [PlistPointerStep]
    ) throws(PlistError) {
        let error = PlistError(
            .duplicateKey, "duplicate key \(key.quoted), first at \(first)", at: second, related: first,
            pointer: PlistPointerStep.pointer(pointer + [.key(key)]),
            hint: isLenient ? "the last value is used: remove the others" : nil)
        guard isLenient else { throw error }
        warnings.append(warnings.count < limit ? error : PlistError(.duplicateKey, "more duplicate keys follow"))
    }
}
