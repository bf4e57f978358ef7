package import CapsulePropertyList

/// A property list as lines of text, each with a pointer and the value there, for programs that compare lines.
///
///     (encoding): xml
///     /CFBundleIdentifier: "com.example.app"
///     /CFBundleURLTypes/[CFBundleURLName=share]/CFBundleURLSchemes/0: "share"
///
/// Keys are in the order of their bytes, so that equal values give equal lines. The elements of an array are in their own order,
/// named by identity if it is known (``ArrayIdentities``). Property lists and keyed archives in data are written value by value.
package struct PointerLines {
    /// The number of bytes of data that are written in full. Longer data is identified by its digest.
    private static let dataLimit = 96
    private static let leastLimit = 1 << 22
    private static let documentDepth = 4
    private static let documentLimit = 1 << 26

    private struct Position {
        var pointer: [PlistString] = []
        /// The same steps, but with each array element by its index, for the rules of array identity.
        var identity: [PlistString] = []
        var documents = 0
        var isArchived = false

        package func appending(_ step: PlistString, identity own: PlistString? = nil) -> Position {
            var place = self
            place.pointer.append(step)
            place.identity.append(own ?? step)
            return place
        }

        func entering(_ step: PlistString, isArchived: Bool) -> Position {
            var place = appending(step)
            place.documents += 1
            place.isArchived = isArchived
            return place
        }
    }

    private let digest: ([UInt8]) -> String
    private let limit: Int
    private var output: [UInt8] = []
    private var pending: [(value: PlistValue, place: Position)] = []
    private var documentBytes = 0

    private init(limit: Int, digest: @escaping ([UInt8]) -> String) {
        self.limit = limit
        self.digest = digest
    }

    /// Returns the lines of a document in UTF-8, each with its line feed.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of bytes in the text, or nil for 64 times the size of the document, but at least 4 MiB.
    ///     Objects that a binary property list shares are written wherever they are used.
    ///   - digest: returns the digest of data as digits.
    package static func text(
        of document: PlistDocument, limit: Int? = nil, digest: @escaping ([UInt8]) -> String
    ) throws(OverlayError) -> [UInt8] {
        var lines = PointerLines(limit: limit ?? max(leastLimit, 64 * document.bytes.count), digest: digest)
        lines.append("(encoding): \(document.format.word)")
        for warning in document.warnings { lines.append("(warning): \(warning.message)") }
        try lines.run(document.value)
        return lines.output
    }

    private mutating func run(_ root: PlistValue) throws(OverlayError) {
        pending = [(root, Position())]
        while let (value, place) = pending.popLast() {
            guard output.count <= limit else {
                throw OverlayError(.limit, "the text would be larger than \(limit) bytes")
            }
            switch value {
            case .dictionary(let dictionary) where !dictionary.isEmpty: push(dictionary, place)
            case .array(let elements) where !elements.isEmpty: push(elements, place)
            case .data(let bytes): append(bytes, place)
            default: append(value.line(length: nil, values: 1), at: place)
            }
        }
    }

    private mutating func push(_ dictionary: PlistDictionary, _ place: Position) {
        if !place.isArchived, place.documents < Self.documentDepth, let graph = Self.graph(of: .dictionary(dictionary)) {
            pending.append((graph, place.entering("<archive>", isArchived: true)))
            return
        }
        // The entry that is pushed last is written next.
        let entries = dictionary.map { ($0.key, $0.value) }
        for (key, value) in entries.sorted(by: { $1.0.utf8.lexicographicallyPrecedes($0.0.utf8) }) {
            pending.append((value, place.appending(key)))
        }
    }

    private mutating func push(_ elements: [PlistValue], _ place: Position) {
        // A merge reports rules that contradict each other. Here they are ignored.
        let identity = place.isArchived ? nil : (try? ArrayIdentities().identity(at: place.identity)) ?? nil
        let names = ElementPointers(elements, elements, identity)
        for (number, element) in elements.enumerated().reversed() {
            pending.append((element, place.appending(names.paired(number, number), identity: PlistString(String(number)))))
        }
    }

    private mutating func append(_ bytes: [UInt8], _ place: Position) {
        if let (value, isArchive) = document(in: bytes, place) {
            pending.append((value, place.entering(isArchive ? "<archive>" : "<plist>", isArchived: isArchive)))
            return
        }
        let isWhole = bytes.count <= Self.dataLimit
        let line = PlistValue.data(bytes).line(length: isWhole ? nil : 24, values: 1)
        append(isWhole ? line : line + ", sha256 " + digest(bytes), at: place)
    }

    /// Returns the binary or XML property list in data, or nil if there is none. Other encodings are not tried, because any
    /// text could look like one.
    private mutating func document(in bytes: [UInt8], _ place: Position) -> (value: PlistValue, isArchive: Bool)? {
        switch PlistFormat.sniff(bytes) {
        case .binary, .xml: break
        default: return nil
        }
        guard place.documents < Self.documentDepth, bytes.count <= Self.documentLimit - documentBytes else { return nil }
        documentBytes += bytes.count
        guard let value = try? PlistDocument.read(bytes).value else { return nil }
        return Self.graph(of: value).map { ($0, true) } ?? (value, false)
    }

    private static func graph(of value: PlistValue) -> PlistValue? {
        guard KeyedArchive.isArchive(value) else { return nil }
        return try? KeyedArchive(value).resolved(limits: PlistLimits(outputBytes: 1 << 26))
    }

    private mutating func append(_ line: String, at place: Position) {
        let pointer = PlistPointer(steps: place.pointer)
        append((pointer.isRoot ? "(root)" : pointer.lineText) + ": " + line)
    }

    private mutating func append(_ line: String) {
        output += line.utf8
        output.append(0x0A)
    }
}

extension PlistPointer {
    /// The pointer on one line. If it contains characters that end a line or are invisible, it is quoted and escaped like a string.
    var lineText: String {
        let text = description
        let quoted = PlistValue.string(PlistString(text)).line(length: nil, values: 1)
        return quoted.utf8.count == text.utf8.count + 2 ? text : quoted
    }
}
