import CapsulePropertyList
import Testing

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
