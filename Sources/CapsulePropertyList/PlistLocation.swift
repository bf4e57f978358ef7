/// A place in a property list's bytes.
public enum PlistLocation: Hashable, Sendable {
    /// In XML, OpenStep and JSON. Both count from 1. A column is one Unicode scalar, whatever the encoding; a byte
    /// order mark is none. A line ends at LF, CR LF or CR.
    case text(line: Int, column: Int)
    /// In a binary property list: bytes from the start of the file, and the object's number in the offset table if
    /// the place belongs to one.
    case binary(offset: Int, object: Int?)
}

extension PlistLocation {
    /// The line and column of a byte offset into UTF-8 text without a byte order mark. The text need not be valid.
    static func inText(_ utf8: UnsafeRawBufferPointer, at offset: Int) -> PlistLocation {
        var line = 1
        var column = 1
        var afterReturn = false
        for byte in utf8.prefix(offset) {
            switch byte {
            case 0x0A where afterReturn:
                break
            case 0x0A, 0x0D:
                line += 1
                column = 1
            case 0x80...0xBF:
                // A continuation byte belongs to the scalar before it.
                break
            default:
                column += 1
            }
            afterReturn = byte == 0x0D
        }
        return .text(line: line, column: column)
    }
}

extension PlistLocation: CustomStringConvertible {
    /// `LINE:COLUMN`, `byte OFFSET` or `byte OFFSET, object NUMBER`.
    public var description: String {
        switch self {
        case .text(let line, let column): "\(line):\(column)"
        case .binary(let offset, nil): "byte \(offset)"
        case .binary(let offset, let object?): "byte \(offset), object \(object)"
        }
    }
}
