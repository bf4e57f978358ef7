public import CapsulePropertyList

/// Expands `$(NAME)` and `${NAME}` in an overlay's strings, with Xcode's operators (docs/overlay.md).
///
/// A name may be made of others, `$(A_$(B))`; a value may hold further names; operators are chained, `$(NAME:base:upper)`.
/// `$$` is `$`, and a `$` before anything else stays as it is, also in `$NAME`, which Xcode has given up. What Xcode
/// silently makes nothing of is an error here: a name without a value, an unknown operator, a `$(` without its end.
/// (swiftlang/swift-build Sources/SWBMacro)
public struct Expansion: Sendable {
    /// Names within names, defaults and values after which an expansion gives up.
    static let depthLimit = 100
    /// Bytes written, those of intermediate texts included, after which an expansion gives up.
    static let byteLimit = 1 << 24

    /// The names that are set.
    public let values: [String: String]

    /// An expansion by these values.
    public init(values: [String: String]) {
        self.values = values
    }

    /// The text with its names expanded.
    ///
    /// - Parameters:
    ///   - text: a value, or a path of a target.
    ///   - place: where the text goes, for messages.
    /// - Throws: `undefined` for a name that has no value and no default, `invalid` for what is misspelled and for a name whose
    ///   value leads back to itself, `limit`.
    public func expand(_ text: String, at place: PlistPointer? = nil) throws(OverlayError) -> String {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        do throws(OverlayError) {
            var run = Run(values: values)
            let bytes = try run.evaluate(try ExpansionParser.parts(of: text), 0)
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            var error = error
            error.target = place
            error.isAboutOverlay = true
            throw error
        }
    }
}

extension Expansion {
    /// One expansion: what it has spent, and the names whose values it is in.
    private struct Run {
        let values: [String: String]
        private var spent = 0
        private var names: [String] = []

        init(values: [String: String]) {
            self.values = values
        }

        // Functions that call each other leave what takes much of the stack to others: a build for debugging, on a thread of an
        // Apple system, has 512 KiB for all levels.

        mutating func evaluate(_ parts: [ExpansionPart], _ depth: Int) throws(OverlayError) -> [UInt8] {
            try checkDepth(depth)
            var result: [UInt8] = []
            for part in parts {
                switch part {
                case .literal(let bytes): try append(bytes, to: &result)
                case .reference(let reference): try append(try evaluate(reference, depth), to: &result)
                }
            }
            return result
        }

        /// The value of a name, through its operators in order; only what is used of them is evaluated.
        private mutating func evaluate(_ reference: ExpansionReference, _ depth: Int) throws(OverlayError) -> [UInt8] {
            let name = try Self.name(of: reference, try evaluate(reference.name, depth + 1))
            var value: [UInt8]?
            if let parts = try beginValue(of: name) {
                value = try evaluate(parts, depth + 1)
                names.removeLast()
            } else {
                value = values[name].map { Array($0.utf8) }
            }
            for (operation, operand) in reference.operators {
                // A default is for what is missing or empty, and any other operator for what is there.
                guard operation == .default ? value?.isEmpty ?? true : value != nil else { continue }
                value = try apply(operation, to: value, try evaluate(operand, depth + 1))
            }
            return try defined(name, value)
        }

        @inline(never)
        private func checkDepth(_ depth: Int) throws(OverlayError) {
            guard depth <= Expansion.depthLimit else {
                throw OverlayError(.limit, "names are nested more than \(Expansion.depthLimit) deep")
            }
        }

        @inline(never)
        private static func name(of reference: ExpansionReference, _ bytes: [UInt8]) throws(OverlayError) -> String {
            guard !bytes.isEmpty else {
                throw OverlayError(.undefined, "the name in \(reference.spelling) is empty")
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        @inline(never)
        private mutating func apply(
            _ operation: ExpansionOperator, to value: [UInt8]?, _ operand: [UInt8]
        ) throws(OverlayError) -> [UInt8] {
            guard operation != .default, let value else { return operand }
            try spend(value.count)
            return Array(
                operation.apply(to: String(decoding: value, as: UTF8.self), String(decoding: operand, as: UTF8.self)).utf8)
        }

        @inline(never)
        private func defined(_ name: String, _ value: [UInt8]?) throws(OverlayError) -> [UInt8] {
            if let value { return value }
            let around = names.last.map { " (used by the value of '\($0)')" } ?? ""
            throw OverlayError(
                .undefined, "'\(name)' has no value\(around)",
                hint: "set it with '--define \(name)=…', or write '$(\(name):default=…)'")
        }

        /// Enters a value with names in it and takes it apart; nil for one without, or a name that is not set.
        @inline(never)
        private mutating func beginValue(of name: String) throws(OverlayError) -> [ExpansionPart]? {
            guard let value = values[name], value.utf8.contains(UInt8(ascii: "$")) else { return nil }
            if let start = names.firstIndex(of: name) {
                let circle = (names[start...] + [name]).map { "'\($0)'" }.joined(separator: ", ")
                throw OverlayError(.invalid, "the value of '\(name)' refers to itself: \(circle)")
            }
            let parts: [ExpansionPart]
            do throws(OverlayError) {
                parts = try ExpansionParser.parts(of: value)
            } catch {
                throw OverlayError(error.code, "in the value of '\(name)': \(error.message)", hint: error.hint)
            }
            names.append(name)
            return parts
        }

        private mutating func append(_ bytes: [UInt8], to result: inout [UInt8]) throws(OverlayError) {
            try spend(bytes.count)
            result.append(contentsOf: bytes)
        }

        /// Counts bytes, and some for each step, so that values that double without growing end too.
        private mutating func spend(_ bytes: Int) throws(OverlayError) {
            spent += bytes + 64
            guard spent <= Expansion.byteLimit else {
                throw OverlayError(.limit, "the text expands to more than \(Expansion.byteLimit) bytes")
            }
        }
    }
}
