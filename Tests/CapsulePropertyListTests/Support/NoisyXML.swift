import CapsulePropertyList
import TestSupport

/// A document of a value in an unusual layout.
struct NoisyXML {
    private(set) var text = ""
    /// The text of each entry that is reached through dictionaries only, by its keys.
    private(set) var slices: [[PlistString]: String] = [:]
    private var generator: SeededGenerator
    private let hasLines: Bool

    /// Creates a document. XML must be able to represent the value.
    init(_ value: PlistValue, seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        hasLines = !generator.isLucky(oneIn: 5)
        text = generator.pick([
            "", "<?xml version='1.0'?>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist>\n", "<!-- > -->",
        ])
        let isWrapped = !generator.isLucky(oneIn: 6)
        if isWrapped { text += "<plist version=\"1.0\">" }
        write(value, at: [])
        addNoise()
        if isWrapped { text += "</plist>" }
        addNoise()
    }

    private mutating func addNoise() {
        let line = hasLines ? ["\n", "\r\n", "\n\t", "\n    ", "\r\n  ", "\n\n\t\t"] : [" "]
        for _ in 0..<generator.pick([0, 1, 1, 2, 4]) {
            text += generator.pick(
                line + ["", " ", "\t", "<!-- c -->", "<?p i?>", hasLines ? "<!--\n<key>x</key>\n-->" : "<!---->"])
        }
    }

    private mutating func tag(_ name: String) -> String {
        "<\(name)\(generator.pick(["", "", "", " ", " a='>'", "\tb = \"/\" "]))>"
    }

    private mutating func write(_ value: PlistValue, at path: [PlistString]?) {
        addNoise()
        switch value {
        case .array(let elements):
            guard !elements.isEmpty || generator.isLucky(oneIn: 2) else {
                return text += generator.pick(["<array/>", "<array />"])
            }
            text += tag("array")
            for element in elements { write(element, at: nil) }
            addNoise()
            text += "</array>"
        case .dictionary(let dictionary):
            guard !dictionary.isEmpty || generator.isLucky(oneIn: 2) else {
                return text += generator.pick(["<dict/>", "<dict a='b'\t/>"])
            }
            text += tag("dict")
            for (key, value) in dictionary {
                addNoise()
                let start = text.utf8.count
                text += tag("key") + content(key) + "</key>"
                write(value, at: path.map { $0 + [key] })
                if let path { slices[path + [key]] = String(text.utf8.dropFirst(start)) }
            }
            addNoise()
            text += "</dict>"
        case .string(let string):
            text += tag("string") + content(string) + generator.pick(["</string>", "</string >"])
        case .uid(let uid):
            text += "<dict>"
            addNoise()
            text += "<key>CF$UID</key>"
            addNoise()
            text += "<integer>\(uid)</integer>"
            addNoise()
            text += "</dict>"
        case .data(let bytes):
            text += tag("data")
            for character in plain(.data(bytes)) {
                text += (generator.isLucky(oneIn: 20) ? generator.pick(["\n", " ", "\t", "\r\n\t"]) : "") + String(character)
            }
            text += "</data>"
        case .integer, .real, .date, .boolean, .null:
            text += canonical(value)
        }
    }

    /// Returns the element as the writer formats it.
    private func canonical(_ value: PlistValue) -> String {
        let document = (try? XMLPlistWriter.write(value)) ?? []
        return String(
            String(decoding: document, as: UTF8.self).split(separator: "\n").dropFirst(3).dropLast().joined(separator: "\n"))
    }

    /// Returns base64 on one line.
    private func plain(_ value: PlistValue) -> String {
        canonical(value).replacing("<data>", with: "").replacing("</data>", with: "").filter { !$0.isWhitespace }
    }

    private mutating func content(_ string: PlistString) -> String {
        var content = ""
        for scalar in string.string.unicodeScalars {
            switch scalar {
            case "\r": content += generator.pick(["&#13;", "&#xD;"])
            case "<": content += generator.pick(["&lt;", "<![CDATA[<]]>", "&#60;"])
            case "&": content += generator.pick(["&amp;", "<![CDATA[&]]>"])
            case "\n" where hasLines: content += generator.pick(["\n", "\r\n", "&#10;"])
            default:
                content += generator.isLucky(oneIn: 12) ? "&#\(scalar.value);" : String(scalar)
                if generator.isLucky(oneIn: 40) { content += "<!-- c -->" }
            }
        }
        return content
    }
}
