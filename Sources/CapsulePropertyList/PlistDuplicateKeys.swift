/// What a reader does about a key that a dictionary holds twice, and what it has noted so far.
struct PlistDuplicateKeys {
    /// True to keep the last value and warn; false to fail.
    let isLenient: Bool
    let limit: Int
    private(set) var warnings: [PlistError] = []

    init(isLenient: Bool, limits: PlistLimits) {
        self.isLenient = isLenient
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
            pointer: PlistPointerStep.pointer(pointer + [.key(key)]))
        guard isLenient else { throw error }
        warnings.append(warnings.count < limit ? error : PlistError(.duplicateKey, "more duplicate keys follow"))
    }
}
