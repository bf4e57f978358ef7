import CapsulePropertyList

/// Reads a document in one encoding. If it can be read, it is written, read again and edited.
struct CodecRound {
    /// Limits that are small enough to be reached in a short time.
    private static let limits = PlistLimits(depth: 64, expandedValues: 1 << 12, outputBytes: 1 << 20)

    private let format: PlistFormat

    init(_ format: PlistFormat) {
        self.format = format
    }

    /// - Returns: the first property that does not hold; nil if all hold.
    func run(_ bytes: [UInt8]) -> String? {
        do throws(PlistError) {
            let document = try PlistDocument.read(bytes, accepting: [format], limits: Self.limits, isLenient: true)
            if let complaint = checkStrictness(document) { return complaint }
            if let complaint = try checkWriting(document.value) { return complaint }
            return checkEdits(document)
        } catch {
            return error.description.isEmpty ? "an error that says nothing" : nil
        }
    }

    /// Checks that a document that was read leniently without a warning is also read strictly.
    private func checkStrictness(_ document: PlistDocument) -> String? {
        do throws(PlistError) {
            let value = try PlistReader.read(document.bytes, accepting: [format], limits: Self.limits).value
            if !document.warnings.isEmpty { return "a warning where no error is" }
            return value == document.value ? nil : "another value if read strictly"
        } catch {
            return error.code == .duplicateKey && !document.warnings.isEmpty ? nil : "an error if read strictly: \(error)"
        }
    }

    /// Checks that a value can be written in its encoding, always with the same bytes, and that reading them gives the same value.
    private func checkWriting(_ value: PlistValue) throws(PlistError) -> String? {
        let written: [UInt8]
        do throws(PlistError) {
            written = try write(value)
        } catch {
            return error.code == .limitExceeded ? nil : "can't be written: \(error)"
        }
        guard let back = read(written) else { return "what is written can't be read" }
        guard back == value else { return "another value when it is read again" }
        return try write(back) == written ? nil : "other bytes when it is written again"
    }

    /// Checks that an edited document has the new value, and that a document without changes keeps its bytes.
    private func checkEdits(_ document: PlistDocument) -> String? {
        guard edited(document, document.value) == document.bytes else { return "an edit that changes nothing changes bytes" }
        for value in Self.changes(of: document.value) {
            guard let bytes = edited(document, value) else { continue }
            guard let again = try? PlistDocument.read(bytes, accepting: [format], limits: Self.limits, isLenient: true) else {
                return "an edit to \(value) can't be read"
            }
            guard again.value == value else { return "an edit to \(value) made \(again.value)" }
            if let back = edited(again, document.value), read(back) != document.value { return "an edit can't be taken back" }
        }
        return nil
    }

    /// The value with one more key or element, with one less, with another one, and in reverse order.
    private static func changes(of value: PlistValue) -> [PlistValue] {
        let new: PlistValue = ["fuzz": ["a", [:]]]
        switch value {
        case .dictionary(var dictionary):
            guard let first = dictionary.first else { return [new] }
            var (less, other) = (dictionary, dictionary)
            dictionary["fuzz"] = new
            less[first.key] = nil
            other[first.key] = new
            return [.dictionary(dictionary), .dictionary(less), .dictionary(other)]
        case .array(let elements):
            return [
                .array([new] + elements), .array(elements + [new]), .array(Array(elements.dropFirst())),
                .array(elements.reversed()),
            ]
        default:
            return [[value], new, "fuzz"]
        }
    }

    // MARK: Steps

    /// Returns nil if the document would be too large or too deep, or if no document can hold the value; no bytes after another error.
    private func edited(_ document: PlistDocument, _ value: PlistValue) -> [UInt8]? {
        do throws(PlistError) {
            return try document.bytes(holding: value, limits: Self.limits)
        } catch {
            return error.code == .limitExceeded || (try? write(value)) == nil ? nil : []
        }
    }

    private func read(_ bytes: [UInt8]) -> PlistValue? {
        try? PlistReader.readLeniently(bytes, accepting: [format], limits: Self.limits).value
    }

    private func write(_ value: PlistValue) throws(PlistError) -> [UInt8] {
        switch format {
        case .xml: try XMLPlistWriter.write(value, limits: Self.limits)
        case .binary: try BinaryPlistWriter.write(value, limits: Self.limits)
        case .json: try JSONPlistWriter.write(value, limits: Self.limits)
        case .openStep: try OpenStepPlistWriter.write(value, limits: Self.limits)
        }
    }
}
