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
    func check() throws {
        let edited = try edit(Array(before.utf8), to: value)
        #expect(String(decoding: edited, as: UTF8.self) == after)
    }
}

/// The document's bytes with another value, which has to be what is read from them.
func edit(_ bytes: [UInt8], to value: PlistValue, limits: PlistLimits = .standard) throws(PlistError) -> [UInt8] {
    let document = try PlistDocument.read(bytes)
    let edited = try document.bytes(holding: value, limits: limits)
    let back = try PlistDocument.read(edited)
    #expect(back.value == value)
    #expect(back.format == document.format)
    return edited
}

/// The error that editing ends with; nil if it does not.
func editingError(_ bytes: [UInt8], to value: PlistValue, limits: PlistLimits = .standard) throws -> PlistError? {
    let document = try PlistDocument.read(bytes)
    do throws(PlistError) {
        _ = try document.bytes(holding: value, limits: limits)
        return nil
    } catch {
        return error
    }
}
