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
                : PlistError(.notRepresentable, "more values change; they are not listed"))
    }

    /// A container whose contents are converted one by one.
    private struct Frame {
        let container: PlistValue
        let address: UInt
        var next = 0
        /// Of an array, its elements as far as they were begun; nil as long as all are the same.
        var changed: [PlistValue]?
        /// Of a dictionary, what was kept of it.
        var pairs: [(PlistString, PlistValue)] = []
        /// The key that the child begun last gets.
        var key: PlistString?
        var isSame = true

        init(_ container: PlistValue, _ address: UInt) {
            self.container = container
            self.address = address
        }
    }

    /// What becomes of a value. The stack is an explicit one, so that depth costs no call stack.
    mutating func convert(_ value: PlistValue) throws(PlistError) -> Outcome {
        var frames: [Frame] = []
        var result = try begin(value, &frames)
        while let top = frames.indices.last {
            if let child = nextChild(of: &frames[top]) {
                result = try begin(child, &frames)
            } else {
                result = finished(frames.removeLast())
            }
            guard let outcome = result, let outer = frames.indices.last else { continue }
            steps.removeLast()
            Self.take(outcome, into: &frames[outer])
        }
        return result ?? .same
    }

    /// What becomes of a scalar, and of a container that is known; nil for any other, which is on the stack now.
    private mutating func begin(_ value: PlistValue, _ frames: inout [Frame]) throws(PlistError) -> Outcome? {
        let address: UInt
        switch value {
        case .array(let elements):
            address = elements.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        case .dictionary(let dictionary):
            address = dictionary.entries.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        default:
            return scalar(value)
        }
        if let outcome = known[address] { return outcome }
        try checkDepth()
        if format == .xml, let dictionary = value.dictionary, dictionary.count == 1,
            let uid = dictionary[XMLPlistWriter.uidKey]?.integer?.uint64
        {
            note("a dictionary {CF$UID: \(uid)} becomes a UID")
            known[address] = .other(.uid(uid))
            return .other(.uid(uid))
        }
        frames.append(Frame(value, address))
        return nil
    }

    private mutating func nextChild(of frame: inout Frame) -> PlistValue? {
        switch frame.container {
        case .array(let elements) where frame.next < elements.count:
            steps.append(.index(frame.next))
            frame.next += 1
            return elements[frame.next - 1]
        case .dictionary(let dictionary) where frame.next < dictionary.count:
            let entry = dictionary.entries[frame.next]
            steps.append(.key(entry.key))
            frame.key = key(entry.key)
            frame.next += 1
            return entry.value
        default:
            return nil
        }
    }

    /// Keeps what became of the child that was begun last.
    private static func take(_ outcome: Outcome, into frame: inout Frame) {
        let position = frame.next - 1
        switch frame.container {
        case .array(let elements):
            if case .same = outcome {
                frame.changed?.append(elements[position])
            } else {
                if frame.changed == nil { frame.changed = Array(elements[..<position]) }
                if case .other(let other) = outcome { frame.changed?.append(other) }
            }
        case .dictionary(let dictionary):
            let entry = dictionary.entries[position]
            let key = frame.key ?? entry.key
            if case .same = outcome, key == entry.key {
                frame.pairs.append((key, entry.value))
                return
            }
            switch outcome {
            case .same: frame.pairs.append((key, entry.value))
            case .other(let other): frame.pairs.append((key, other))
            case .nothing: break
            }
            frame.isSame = false
        default: break
        }
    }

    private mutating func finished(_ frame: Frame) -> Outcome {
        let outcome: Outcome
        if case .array = frame.container {
            outcome = frame.changed.map { .other(.array($0)) } ?? .same
        } else if frame.isSame {
            outcome = .same
        } else {
            let changed = PlistDictionary(frame.pairs)
            if changed.count < frame.pairs.count { note("keys become equal: the last value is kept") }
            outcome = .other(.dictionary(changed))
        }
        // Empty containers have no storage of their own.
        if frame.next > 0 { known[frame.address] = outcome }
        return outcome
    }

    /// Releasing what is made takes call stack for each level.
    private func checkDepth() throws(PlistError) {
        guard steps.count < limits.depth else {
            throw PlistTextStack.depthFailure(limits.depth, at: nil).pointing(to: steps)
        }
    }
}
