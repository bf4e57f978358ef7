import CapsulePropertyList

/// The secrets of one file, as ``SecretCover`` found them.
package struct FileSecrets: Sendable {
    /// A value and the place of it that makes it a secret: a column of a table, or a key. A value without names is a secret anywhere in
    /// the file, as in a keyed archive, which keeps keys and values apart.
    struct Place: Hashable, Sendable {
        let table: String?
        let name: String?
        let value: Value
    }

    enum Value: Hashable, Sendable {
        case text([UInt8])
        case data([UInt8])
        case integer(PlistInteger)
        case real(Double)
    }

    /// The texts and the data of at least ``Secrets/shortest`` bytes. They are secrets in all files.
    package private(set) var values: [SecretMatcher.Value] = []
    private var known: Set<SecretMatcher.Value> = []
    /// The shorter texts that are replaced at their places.
    private(set) var texts: [[UInt8]] = []
    /// The secrets that are only replaced at their places. The ranges are those of the secrets in a text.
    private(set) var places: [Place: [Range<Int>]] = [:]
    /// The ranges of such secrets in a file of text.
    package private(set) var ranges: [Range<Int>] = []
    private(set) var integers: Set<PlistInteger> = []
    /// The names of files that have a secret of a database as a whole.
    package private(set) var files: Set<String> = []
    /// The number of bytes of a secret that are searched for elsewhere, and the length of the parts in which they are.
    private static let longest = 1 << 16
    private static let partLength = 1 << 12
    /// The number of secrets that were added.
    package private(set) var count = 0

    package init() {}

    /// - Parameters:
    ///   - table: the table of the row that has the secret; nil for a file of another format.
    ///   - name: the name of the column or the key; nil for a secret that has none of its own.
    package mutating func add(_ found: FoundSecret, table: String? = nil, name: String? = nil) {
        switch found {
        case .file(let name):
            files.insert(name)
            count += 1
        case .text(let text, let ranges):
            if !add(text, ranges).isEmpty { places[Place(table: table, name: name, value: .text(text))] = ranges }
            // A header or JSON as a whole may have a secret in it that is alone elsewhere.
            if ranges.contains(text.indices) {
                for range in Secrets.ranges(in: text) where range.count >= Secrets.shortest {
                    add(partsOf: text[range], isText: true)
                }
            }
        case .data(let bytes, isWhole: true):
            count += 1
            if bytes.count >= Secrets.shortest { add(partsOf: bytes[...], isText: false) }
            if bytes.count < Secrets.shortest || bytes.count > Self.longest {
                places[Place(table: table, name: name, value: .data(bytes))] = []
            }
        case .data(let bytes, isWhole: false): add(partOf: bytes)
        case .integer(let number):
            count += 1
            places[Place(table: table, name: name, value: .integer(number))] = []
            let digits = Array((number.int64.map { String($0) } ?? number.uint64.map { String($0) } ?? "").utf8)
            if digits.count >= Secrets.shortest {
                integers.insert(number)
                add(SecretMatcher.Value(digits, isText: true))
            }
        case .real(let number):
            count += 1
            places[Place(table: table, name: name, value: .real(number))] = []
        }
    }

    private mutating func add(partsOf value: ArraySlice<UInt8>, isText: Bool) {
        var rest = value.prefix(Self.longest)
        repeat {
            // The last part is never too short to be one.
            let length = rest.count < 2 * Self.partLength ? rest.count : Self.partLength
            add(SecretMatcher.Value(Array(rest.prefix(length)), isText: isText))
            rest = rest.dropFirst(length)
        } while !rest.isEmpty
    }

    private mutating func add(_ value: SecretMatcher.Value) {
        if known.insert(value).inserted { values.append(value) }
    }

    /// Adds the secrets of a text that begins at an offset of the file.
    package mutating func add(_ text: [UInt8], _ ranges: [Range<Int>], at offset: Int) {
        self.ranges += add(text, ranges).map { $0.lowerBound + offset..<$0.upperBound + offset }
    }

    /// - Returns: the ranges that are too short to be secrets elsewhere.
    private mutating func add(_ text: [UInt8], _ ranges: [Range<Int>]) -> [Range<Int>] {
        var short: [Range<Int>] = []
        for range in ranges where !range.isEmpty && !SecretForms.isPlaceholder(text[range]) {
            count += 1
            if range.count >= Secrets.shortest {
                add(partsOf: text[range], isText: true)
                // Elsewhere it may be written as it is.
                if let plain = SecretDecoding.withoutEscapes(Array(text[range])), plain.count >= Secrets.shortest {
                    add(partsOf: plain[...], isText: true)
                }
            }
            if range.count < Secrets.shortest || range.count > Self.longest {
                short.append(range)
                texts.append(Array(text[range]))
            }
        }
        return short
    }

    /// Adds the secrets in data: those of the property list or the text that it is, or else all of it.
    private mutating func add(partOf bytes: [UInt8]) {
        if !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil {
            return add(.text(bytes, Secrets.ranges(in: bytes)))
        }
        guard let inner = Self.secrets(inDocument: SecretData.withoutMark(bytes)) else { return add(.data(bytes, isWhole: true)) }
        for found in inner {
            if case .data(let data, isWhole: false) = found { add(.data(data, isWhole: true)) } else { add(found) }
        }
    }

    /// Returns the secrets in a property list; nil for other data, and for one that has no values.
    package static func secrets(inDocument bytes: [UInt8]) -> [FoundSecret]? {
        var (cover, inner, isDocument) = (SecretCover(collects: true), [FoundSecret](), false)
        PlistLeaves.forEachPlace(in: .data(bytes)) { pointer, _, leaf, naming in
            guard let leaf, !pointer.steps.isEmpty else { return }
            isDocument = true
            _ = cover.hiding(PlistChange(.added(leaf), at: pointer, naming: naming))
            inner += cover.takeFound().map(\.secret)
        }
        return isDocument ? inner : nil
    }

    /// Returns the ranges of a cookie's value that are secrets in this file only.
    package func ranges(ofCookie value: [UInt8]) -> [Range<Int>] { ranges(of: .text(value), table: nil, name: nil) ?? [] }

    func ranges(of value: Value, table: String?, name: String?) -> [Range<Int>]? {
        if places.isEmpty { return nil }
        return places[Place(table: table, name: name, value: value)] ?? places[Place(table: nil, name: nil, value: value)]
    }
}

extension SecretData {
    /// Returns data without the byte that Core Data puts before data that could also be in a file.
    static func withoutMark(_ bytes: [UInt8]) -> [UInt8] { bytes.first == 1 ? Array(bytes.dropFirst()) : bytes }
}
