package import CapsuleCore
package import CapsulePropertyList

/// Expands `$(NAME)` and `${NAME}` in an overlay's strings, with Xcode's operators (docs/overlay.md).
///
/// A name may contain others, `$(A_$(B))`. A value may contain further names. Operators can be chained, `$(NAME:base:upper)`. `$$`
/// is `$`, and a `$` before anything else stays as it is, also in `$NAME`, which Xcode no longer supports. Some references that
/// Xcode silently expands to nothing are errors here: a name without a value, an unknown operator, a `$(` without its end.
/// (swiftlang/swift-build Sources/SWBMacro)
package struct Expansion: Sendable {
    /// The maximum depth of names within names, defaults and values.
    static let depthLimit = 100
    /// The maximum number of bytes that an expansion writes, including intermediate texts.
    static let byteLimit = 1 << 24

    package let values: [String: String]

    package init(values: [String: String]) {
        self.values = values
    }

    /// - Throws: `undefined` for a name without a value and a default; `invalid` for a syntax error, and for a name whose value
    ///   refers to itself; `limit` for too deep nesting or too long a text.
    package func expand(_ text: String, at place: PlistPointer? = nil) throws(OverlayError) -> String {
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
    /// The state of one expansion: the bytes that it used, and the names whose values are being expanded.
    private struct Run {
        let values: [String: String]
        private var spent = 0
        private var names: [String] = []

        init(values: [String: String]) {
            self.values = values
        }

        // Recursive functions leave work that needs much stack to other functions. In a debug build, a thread of an Apple system
        // has only 512 KiB for all levels.

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
                // A default replaces a missing or empty value. Any other operator needs a value.
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
            let text = try operation.apply(to: String(decoding: value, as: UTF8.self), String(decoding: operand, as: UTF8.self))
            return Array(text.utf8)
        }

        @inline(never)
        private func defined(_ name: String, _ value: [UInt8]?) throws(OverlayError) -> [UInt8] {
            if let value { return value }
            let around = names.last.map { " (used by the value of '\($0)')" } ?? ""
            throw OverlayError(
                .undefined, "'\(name)' has no value\(around)",
                hint: "set it with '--define \(name)=…', or write '$(\(name):default=…)'")
        }

        /// Begins to expand a value that contains names, and parses it; nil for a value without names, or a name that is not set.
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

        /// Counts bytes, plus a fixed number for each step, so that expansions that multiply without writing text end, too.
        private mutating func spend(_ bytes: Int) throws(OverlayError) {
            spent += bytes + 64
            guard spent <= Expansion.byteLimit else {
                throw OverlayError(.limit, "the text expands to more than \(Expansion.byteLimit) bytes")
            }
        }
    }
}

extension Expansion {
    /// Returns a value with the names in all its strings expanded. Keys stay as they are.
    func expanded(_ value: PlistValue, at place: PlistPointer) throws(OverlayError) -> PlistValue {
        var steps = place.steps
        return try expanded(value, &steps)
    }

    private func expanded(_ value: PlistValue, _ place: inout [PlistString]) throws(OverlayError) -> PlistValue {
        switch value {
        case .string(let text): .string(PlistString(try expand(text.string, at: PlistPointer(steps: place))))
        case .array(let elements): .array(try expanded(elements, &place))
        case .dictionary(let entries): .dictionary(try expanded(entries, &place))
        default: value
        }
    }

    private func expanded(_ elements: [PlistValue], _ place: inout [PlistString]) throws(OverlayError) -> [PlistValue] {
        var elements = elements
        for number in elements.indices {
            place.append(PlistString(String(number)))
            elements[number] = try expanded(elements[number], &place)
            place.removeLast()
        }
        return elements
    }

    private func expanded(_ entries: PlistDictionary, _ place: inout [PlistString]) throws(OverlayError) -> PlistDictionary {
        var result = entries
        for position in entries.indices {
            let (key, value) = entries[position]
            place.append(key)
            result[key] = try expanded(value, &place)
            place.removeLast()
        }
        return result
    }
}

/// Checks the names that `$(NAME)` and conditions refer to: those of build settings and of the environment.
package enum SettingName {
    /// The characters that end a name in a reference, join two texts in one, or separate names.
    private static let foreign = Set("=:$(){}[]\"'`\\<>!&|;,".utf8)

    package static func check(_ name: String) throws(OverlayError) {
        guard !name.isEmpty else {
            throw OverlayError(.invalid, "the name is missing", hint: "write 'NAME=VALUE', or 'NAME' for a condition")
        }
        let isSpaced = name.unicodeScalars.contains { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F }
        guard isSpaced || name.utf8.contains(where: foreign.contains) else { return }
        throw OverlayError(
            .invalid, "\(PlistString(name).quoted) is not a name: '$(NAME)' can't refer to it",
            hint: isSpaced ? "write 'NAME=VALUE' without spaces around '='" : "use letters, digits and '_' only")
    }

    /// Throws for an invalid argument `NAME=VALUE`, split at its first `=`.
    /// - Throws: `invalid`, also for `NAME==VALUE`, which would be a value that begins with `=`.
    package static func check(_ name: String, value: String?) throws(OverlayError) {
        try check(name)
        guard let value, value.utf8.first == UInt8(ascii: "=") else { return }
        let meant = value.drop { $0 == "=" }
        throw OverlayError(
            .invalid, "\(PlistString("\(name)=\(value)").quoted) has '==' after the name", hint: "write '\(name)=\(meant)'")
    }
}
