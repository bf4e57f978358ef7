import CapsulePropertyList
import Testing

/// A document, the value it is to hold, and what it has to look like then.
struct EditCase: Sendable, CustomTestStringConvertible {
    let rule: String
    let before: String
    let value: PlistValue
    let after: String

    init(_ rule: String, _ before: String, _ value: PlistValue, _ after: String) {
        self.rule = rule
        self.before = before
        self.value = value
        self.after = after
    }

    var testDescription: String { rule }

    /// Edits the document, and reads what comes out.
    func check(_ format: PlistFormat = .xml) throws {
        let edited = try edit(Array(before.utf8), accepting: [format], to: value)
        #expect(String(decoding: edited, as: UTF8.self) == after)
    }
}

/// The document's bytes with another value, which has to be what is read from them.
func edit(
    _ bytes: [UInt8], accepting formats: Set<PlistFormat> = PlistFormat.all, to value: PlistValue,
    limits: PlistLimits = .standard
) throws(PlistError) -> [UInt8] {
    let document = try PlistDocument.read(bytes, accepting: formats)
    let edited = try document.bytes(holding: value, limits: limits)
    let back = try PlistDocument.read(edited, accepting: formats)
    #expect(back.value == value, "\(String(decoding: edited, as: UTF8.self))")
    #expect(back.format == document.format)
    return edited
}

/// The error that editing ends with; nil if it does not.
func editingError(
    _ bytes: [UInt8], accepting formats: Set<PlistFormat> = PlistFormat.all, to value: PlistValue,
    limits: PlistLimits = .standard
) throws -> PlistError? {
    let document = try PlistDocument.read(bytes, accepting: formats)
    do throws(PlistError) {
        _ = try document.bytes(holding: value, limits: limits)
        return nil
    } catch {
        return error
    }
}
