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

/// A text, and the code, line, column and pointer of the error of reading it.
struct ErrorCase: CustomTestStringConvertible, Sendable {
    let document: String
    let code: PlistError.Code
    let line: Int
    let column: Int
    let pointer: String

    init(_ document: String, _ code: PlistError.Code, _ line: Int, _ column: Int, _ pointer: String = "") {
        self.document = document
        self.code = code
        self.line = line
        self.column = column
        self.pointer = pointer
    }

    var testDescription: String { document }

    func check(_ error: PlistError?) {
        #expect(error?.code == code, "\(error?.description ?? "no error")")
        #expect(error?.location == .text(line: line, column: column), "\(error?.description ?? "no error")")
        #expect(error?.pointer == pointer, "\(error?.description ?? "no error")")
        #expect(error?.message.hasSuffix(".") == false)
    }
}

/// Records an issue with the first difference between a value and the expected one.
func expectEqual(
    _ value: PlistValue, _ expected: PlistValue, _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    guard let difference = firstDifference(value, expected) else { return }
    Issue.record("\(comment): \(difference)", sourceLocation: sourceLocation)
}

/// Returns a description of the first difference between two values, or nil if they are equal.
func firstDifference(_ left: PlistValue, _ right: PlistValue, at place: String = "") -> String? {
    guard left != right else { return nil }
    switch (left, right) {
    case (.array(let lefts), .array(let rights)) where lefts.count == rights.count:
        for (index, (left, right)) in zip(lefts, rights).enumerated() {
            if let difference = firstDifference(left, right, at: "\(place)/\(index)") { return difference }
        }
    case (.dictionary(let lefts), .dictionary(let rights)):
        for (key, left) in lefts {
            guard let right = rights[key] else { return "\(place): no key \(key.string.debugDescription)" }
            if let difference = firstDifference(left, right, at: "\(place)/\(key)") { return difference }
        }
        for key in rights.keys where lefts[key] == nil { return "\(place): one more key \(key.string.debugDescription)" }
    default: break
    }
    if let left = left.string, let right = right.string {
        return "\(place): \(left.string.debugDescription), \(right.string.debugDescription)"
    }
    return "\(place): \(left), \(right)"
}
