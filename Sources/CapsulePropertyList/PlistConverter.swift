/// Makes of a value one that an encoding can hold. What is shared stays shared, and is looked at once.
struct PlistConverter {
    enum Outcome {
        case same
        case other(PlistValue)
        case nothing
    }

    let format: PlistFormat
    private let limits: PlistLimits
    private(set) var notes: [PlistError] = []
    /// The way to the value looked at.
    private var steps: [PlistPointerStep] = []
    /// From a container's address to what became of it. The root keeps them all alive.
    private var known: [UInt: Outcome] = [:]

    init(format: PlistFormat, limits: PlistLimits) {
        self.format = format
        self.limits = limits
    }

    mutating func note(_ message: String) {
        let count = notes.count
        guard count <= limits.warnings else { return }
        notes.append(
            count < limits.warnings
                ? PlistError(.notRepresentable, message, pointer: PlistPointerStep.pointer(steps))
                : PlistError(.notRepresentable, "more values are changed"))
    }

    mutating func convert(_ value: PlistValue) throws(PlistError) -> Outcome {
        switch value {
        case .array(let elements):
            let address = elements.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            if let outcome = known[address] { return outcome }
            let outcome = try convert(elements)
            if !elements.isEmpty { known[address] = outcome }
            return outcome
        case .dictionary(let dictionary):
            let address = dictionary.entries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            if let outcome = known[address] { return outcome }
            let outcome = try convert(dictionary)
            if !dictionary.isEmpty { known[address] = outcome }
            return outcome
        default:
            return scalar(value)
        }
    }

    private mutating func convert(_ elements: [PlistValue]) throws(PlistError) -> Outcome {
        try checkDepth()
        var changed: [PlistValue]?
        for (position, element) in elements.enumerated() {
            steps.append(.index(position))
            let outcome = try convert(element)
            steps.removeLast()
            if case .same = outcome {
                changed?.append(element)
            } else {
                if changed == nil { changed = Array(elements[..<position]) }
                if case .other(let other) = outcome { changed?.append(other) }
            }
        }
        return changed.map { .other(.array($0)) } ?? .same
    }

    private mutating func convert(_ dictionary: PlistDictionary) throws(PlistError) -> Outcome {
        try checkDepth()
        if format == .xml, dictionary.count == 1, let uid = dictionary[XMLPlistWriter.uidKey]?.integer?.uint64 {
            note("a dictionary {CF$UID: \(uid)} becomes a UID")
            return .other(.uid(uid))
        }
        var isSame = true
        var pairs: [(PlistString, PlistValue)] = []
        for entry in dictionary.entries {
            steps.append(.key(entry.key))
            let key = key(entry.key)
            let outcome = try convert(entry.value)
            steps.removeLast()
            switch outcome {
            case .same where key == entry.key:
                pairs.append((key, entry.value))
                continue
            case .same: pairs.append((key, entry.value))
            case .other(let other): pairs.append((key, other))
            case .nothing: break
            }
            isSame = false
        }
        guard !isSame else { return .same }
        let changed = PlistDictionary(pairs)
        if changed.count < pairs.count { note("keys become equal; the last one's value is kept") }
        return .other(.dictionary(changed))
    }

    /// Looking into containers takes call stack for each level.
    private func checkDepth() throws(PlistError) {
        guard steps.count < limits.depth else {
            throw PlistTextStack.depthFailure(limits.depth, at: nil).pointing(to: steps)
        }
    }
}
