import CapsulePropertyList
import Testing

/// A document, its new value, and the expected document.
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

    /// Edits the document and compares the result.
    func check(_ format: PlistFormat = .xml) throws {
        let edited = try edit(Array(before.utf8), accepting: [format], to: value)
        #expect(String(decoding: edited, as: UTF8.self) == after)
    }
}

/// Returns the document's bytes with another value, after checking that they read back correctly.
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

/// Returns the error of editing a document, or nil if there is none.
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
