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

        mutating func evaluate(_ parts: [ExpansionPart], _ depth: Int) throws(OverlayError) -> [UInt8] {
            guard depth <= Expansion.depthLimit else {
                throw OverlayError(.limit, "names within names, more than \(Expansion.depthLimit) deep")
            }
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
            let name = String(decoding: try evaluate(reference.name, depth + 1), as: UTF8.self)
            guard !name.isEmpty else {
                throw OverlayError(.undefined, "the name that \(reference.spelling) is made of is empty")
            }
            var value = try self.value(of: name, depth)
            for (operation, operand) in reference.operators {
                if operation == .default {
                    if value?.isEmpty ?? true { value = try evaluate(operand, depth + 1) }
                } else if let text = value {
                    let operand = String(decoding: try evaluate(operand, depth + 1), as: UTF8.self)
                    try spend(text.count)
                    value = Array(operation.apply(to: String(decoding: text, as: UTF8.self), operand).utf8)
                }
            }
            guard let value else {
                let around = names.last.map { ", which the value of '\($0)' needs" } ?? ""
                throw OverlayError(
                    .undefined, "'\(name)' has no value\(around)",
                    hint: "set it with '--define \(name)=…', or write '$(\(name):default=…)'")
            }
            return value
        }

        /// The value with the names in it expanded; nil for a name that is not set.
        private mutating func value(of name: String, _ depth: Int) throws(OverlayError) -> [UInt8]? {
            guard let value = values[name] else { return nil }
            guard value.utf8.contains(UInt8(ascii: "$")) else { return Array(value.utf8) }
            if let start = names.firstIndex(of: name) {
                let circle = (names[start...] + [name]).map { "'\($0)'" }.joined(separator: ", ")
                throw OverlayError(.invalid, "the value of '\(name)' leads back to itself: \(circle)")
            }
            let parts: [ExpansionPart]
            do throws(OverlayError) {
                parts = try ExpansionParser.parts(of: value)
            } catch {
                throw OverlayError(error.code, "in the value of '\(name)': \(error.message)", hint: error.hint)
            }
            names.append(name)
            defer { names.removeLast() }
            return try evaluate(parts, depth + 1)
        }

        private mutating func append(_ bytes: [UInt8], to result: inout [UInt8]) throws(OverlayError) {
            try spend(bytes.count)
            result.append(contentsOf: bytes)
        }

        /// Counts bytes, and some for each step, so that values that double without growing end too.
        private mutating func spend(_ bytes: Int) throws(OverlayError) {
            spent += bytes + 64
            guard spent <= Expansion.byteLimit else {
                throw OverlayError(.limit, "the text expands to too much: more than \(Expansion.byteLimit) bytes are written")
            }
        }
    }
}
