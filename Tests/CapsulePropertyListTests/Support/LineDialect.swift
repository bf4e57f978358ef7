import CapsulePropertyList

/// The text of a `LineModel`'s parts in a syntax.
struct LineDialect: Sendable {
    enum Syntax: CaseIterable { case xml, json, openStep, strings }

    let syntax: Syntax
    /// One level of indentation.
    let unit: String
    /// The text between key and value.
    let sign: String

    var format: PlistFormat {
        switch syntax {
        case .xml: .xml
        case .json: .json
        case .openStep, .strings: .openStep
        }
    }

    var head: String { syntax == .xml ? "<?xml version=\"1.0\"?>\n<plist>\n" : "" }

    var tail: String { syntax == .xml ? "\n</plist>\n" : "\n" }

    var hasLineBetweenKeyAndValue: Bool { syntax == .xml }

    func brackets(_ isDictionary: Bool) -> (String, String) {
        switch syntax {
        case .xml: isDictionary ? ("<dict>", "</dict>") : ("<array>", "</array>")
        case .json: isDictionary ? ("{", "}") : ("[", "]")
        case .openStep, .strings: isDictionary ? ("{", "}") : ("(", ")")
        }
    }

    func separator(_ isDictionary: Bool, isLast: Bool, endsWithSeparator: Bool) -> String {
        switch syntax {
        case .xml: ""
        case .json: isLast ? "" : ","
        case .openStep, .strings: isDictionary ? ";" : isLast && !endsWithSeparator ? "" : ","
        }
    }

    /// Returns the text that may be at the end of a line.
    func comments(_ name: String) -> [String] {
        switch syntax {
        case .xml: [" <!-- \(name) -->", "<!-- \(name) -->", "\t<!-- \(name) -->", "  "]
        case .json: [" ", "\t "]
        case .openStep, .strings: [" // \(name)", "/* \(name) */ ", " /* \(name)\n\(name) */", "  "]
        }
    }

    /// Returns the text that may be between lines.
    func lines(_ name: String) -> [String] {
        switch syntax {
        case .xml: ["", "  ", "\t<!-- \(name) -->", "<!-- \(name)\n  two lines -->", "<?pi \(name) ?> "]
        case .json: ["", "  "]
        case .openStep, .strings: ["", "  ", "\t// \(name); (", "/* \(name)\n  \"two lines */", "/* \(name) */ // }"]
        }
    }

    func key(_ name: String) -> String {
        switch syntax {
        case .xml: "<key>\(name)</key>"
        case .json, .strings: "\"\(name)\""
        case .openStep: name
        }
    }

    /// Returns values to add.
    func values(_ name: String) -> [PlistValue] {
        let name = PlistString(name)
        let scalar: PlistValue = syntax == .json ? .null : .data([1, 2])
        return [.string(name), scalar, [.string("two words"), [:]], [name: scalar, "b": [scalar]]]
    }

    /// Returns the canonical layout of an added value.
    func fresh(_ value: PlistValue, indentation: String) -> String {
        if format == .openStep, let string = value.string { return syntax == .strings ? "\"\(string)\"" : string.string }
        let (document, unit): ([UInt8]?, String) =
            switch syntax {
            case .xml: (try? XMLPlistWriter.write(value), "\t")
            case .json: (try? JSONPlistWriter.write(value), "  ")
            case .openStep, .strings: (try? OpenStepPlistWriter.write(value), "\t")
            }
        var lines = String(decoding: document ?? [], as: UTF8.self).split(separator: "\n")
        if syntax == .xml { lines = lines.dropFirst(3).dropLast() }
        return lines.map { line in
            var rest = line
            var indented = indentation
            while rest.hasPrefix(unit) {
                rest = rest.dropFirst(unit.count)
                indented += self.unit
            }
            return indented + rest.replacing("\": ", with: "\"" + sign).replacing(" = ", with: sign)
        }.joined(separator: "\n").dropFirst(indentation.count).description
    }

    // MARK: Scalars

    /// Returns the value that represents a number. OpenStep has no numbers, so it is data there.
    func number(_ number: Int) -> PlistValue {
        format == .openStep ? .data([UInt8(number % 256), UInt8(number / 256)]) : .integer(PlistInteger(number))
    }

    func oddNumber(_ number: Int) -> String {
        switch syntax {
        case .xml: "<integer>0x\(String(number, radix: 16))</integer>"
        case .json: "\(number)"
        case .openStep, .strings: "< \(hexadecimal(number % 256)) \(hexadecimal(number / 256)) >"
        }
    }

    func plainNumber(_ number: Int) -> String {
        switch syntax {
        case .xml: "<integer>\(number)</integer>"
        case .json: "\(number)"
        case .openStep, .strings: "<\(hexadecimal(number % 256))\(hexadecimal(number / 256))>"
        }
    }

    private func hexadecimal(_ byte: Int) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    /// Returns the string for a name that begins with s. In OpenStep it needs quotation marks, so that its neighbors aren't quoted
    /// because of it.
    func string(_ name: String) -> PlistValue {
        .string(PlistString(syntax == .openStep ? name + " " : name))
    }

    /// Returns the text of that string in a form that no writer uses.
    func oddString(_ name: String) -> String {
        let string = string(name).string?.string ?? ""
        return switch syntax {
        case .xml: "<string>\(string.replacing("s", with: "<![CDATA[s]]>"))</string>"
        case .json: "\"\(string.replacing("s", with: "\\u0073"))\""
        case .openStep, .strings: "\"\(string.replacing("s", with: "\\U0073"))\""
        }
    }

    func plainString(_ name: String) -> String {
        let string = string(name).string?.string ?? ""
        return switch syntax {
        case .xml: "<string>\(string)</string>"
        case .json, .openStep, .strings: "\"\(string)\""
        }
    }
}
