public import CapsulePropertyList

/// A property list as lines of text, each with a pointer and the value there: for programs that compare lines.
///
///     (encoding): xml
///     /CFBundleIdentifier: "com.example.app"
///     /CFBundleURLTypes/[CFBundleURLName=share]/CFBundleURLSchemes/0: "share"
///
/// Keys come in the order of their bytes, so that equal values give equal lines; the elements of an array in their own order, by
/// identity where that is known (``ArrayIdentities``). Property lists and keyed archives in data are told value by value.
public struct PointerLines {
    /// Bytes of data that are told whole; of longer data it is the digest that differs.
    private static let dataLimit = 96
    private static let leastLimit = 1 << 22
    /// Documents within each other that are looked into.
    private static let documentDepth = 4
    /// Bytes of documents in data that are read.
    private static let documentLimit = 1 << 26

    private struct Place {
        var pointer: [PlistString] = []
        /// The same with each element by its index, for the rules of identity.
        var identity: [PlistString] = []
        var documents = 0
        var isArchived = false

        func appending(_ step: PlistString, identity own: PlistString? = nil) -> Place {
            var place = self
            place.pointer.append(step)
            place.identity.append(own ?? step)
            return place
        }

        func entering(_ step: PlistString, isArchived: Bool) -> Place {
            var place = appending(step)
            place.documents += 1
            place.isArchived = isArchived
            return place
        }
    }

    private let digest: ([UInt8]) -> String
    private let limit: Int
    private var output: [UInt8] = []
    private var pending: [(value: PlistValue, place: Place)] = []
    private var documentBytes = 0

    private init(limit: Int, digest: @escaping ([UInt8]) -> String) {
        self.limit = limit
        self.digest = digest
    }

    /// The lines of a document, each with its end, in UTF-8.
    ///
    /// - Parameters:
    ///   - document: what is to be told, in any encoding.
    ///   - limit: bytes that the text may have; nil for many times those of the document. Objects that a binary property
    ///     list shares are told wherever they are used.
    ///   - digest: the digest of data, as digits.
    /// - Throws: `limit` for a text that would be longer.
    public static func text(
        of document: PlistDocument, limit: Int? = nil, digest: @escaping ([UInt8]) -> String
    ) throws(OverlayError) -> [UInt8] {
        var lines = PointerLines(limit: limit ?? max(leastLimit, 64 * document.bytes.count), digest: digest)
        lines.append("(encoding): \(document.format.word)")
        for warning in document.warnings { lines.append("(warning): \(warning.message)") }
        try lines.run(document.value)
        return lines.output
    }

    private mutating func run(_ root: PlistValue) throws(OverlayError) {
        pending = [(root, Place())]
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

    private mutating func push(_ dictionary: PlistDictionary, _ place: Place) {
        if !place.isArchived, place.documents < Self.documentDepth, let graph = Self.graph(of: .dictionary(dictionary)) {
            pending.append((graph, place.entering("<archive>", isArchived: true)))
            return
        }
        // The last that is pushed is the next to be told.
        let entries = dictionary.map { ($0.key, $0.value) }
        for (key, value) in entries.sorted(by: { $1.0.utf8.lexicographicallyPrecedes($0.0.utf8) }) {
            pending.append((value, place.appending(key)))
        }
    }

    private mutating func push(_ elements: [PlistValue], _ place: Place) {
        // Rules that contradict each other are for a merge to complain of.
        let identity = place.isArchived ? nil : (try? ArrayIdentities().identity(at: place.identity)) ?? nil
        let names = ElementNames(elements, elements, identity)
        for (number, element) in elements.enumerated().reversed() {
            pending.append((element, place.appending(names.paired(number, number), identity: PlistString(String(number)))))
        }
    }

    private mutating func append(_ bytes: [UInt8], _ place: Place) {
        if let (value, isArchive) = document(in: bytes, place) {
            pending.append((value, place.entering(isArchive ? "<archive>" : "<plist>", isArchived: isArchive)))
            return
        }
        let isWhole = bytes.count <= Self.dataLimit
        let line = PlistValue.data(bytes).line(length: isWhole ? nil : 24, values: 1)
        append(isWhole ? line : line + ", sha256 " + digest(bytes), at: place)
    }

    /// What data holds, if it is a binary or XML property list: any other text might be one by chance.
    private mutating func document(in bytes: [UInt8], _ place: Place) -> (value: PlistValue, isArchive: Bool)? {
        switch PlistFormat.sniff(bytes) {
        case .binary, .xml: break
        default: return nil
        }
        guard place.documents < Self.documentDepth, bytes.count <= Self.documentLimit - documentBytes else { return nil }
        documentBytes += bytes.count
        guard let value = try? PlistDocument.read(bytes).value else { return nil }
        return Self.graph(of: value).map { ($0, true) } ?? (value, false)
    }

    /// The objects of a keyed archive as a tree; nil for what is none.
    private static func graph(of value: PlistValue) -> PlistValue? {
        guard KeyedArchive.isArchive(value) else { return nil }
        return try? KeyedArchive(value).resolved(limits: PlistLimits(outputBytes: 1 << 26))
    }

    private mutating func append(_ line: String, at place: Place) {
        let pointer = PlistPointer(steps: place.pointer)
        append((pointer.isRoot ? "(root)" : pointer.lineText) + ": " + line)
    }

    private mutating func append(_ line: String) {
        output += line.utf8
        output.append(0x0A)
    }
}

extension PlistPointer {
    /// The pointer on one line: between quotation marks, and escaped as strings are, where it has what would end the line, or is
    /// invisible.
    var lineText: String {
        let text = description
        let quoted = PlistValue.string(PlistString(text)).line(length: nil, values: 1)
        return quoted.utf8.count == text.utf8.count + 2 ? text : quoted
    }
}
