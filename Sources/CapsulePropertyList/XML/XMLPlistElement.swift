/// The elements of an XML property list.
enum XMLPlistElement: String {
    case plist, dict, array, key, string, integer, real, date, data
    case `true`, `false`

    /// An element's name while it is being read, packed so that it is compared in one step.
    struct Name {
        private var packed: UInt64 = 0

        var isEmpty: Bool { packed == 0 }

        mutating func append(_ byte: UInt8) {
            // The longest name known has seven letters. A longer one fills the top byte, and that must stay filled. A NUL
            // in front would leave no trace.
            packed = packed >> 56 == 0 && byte != 0 ? packed << 8 | UInt64(byte) : .max
        }

        /// The element of that name; nil if there is none.
        var element: XMLPlistElement? {
            switch packed {
            case 0x6B65_79: .key
            case 0x7374_7269_6E67: .string
            case 0x696E_7465_6765_72: .integer
            case 0x6469_6374: .dict
            case 0x6172_7261_79: .array
            case 0x7472_7565: .true
            case 0x6661_6C73_65: .false
            case 0x7265_616C: .real
            case 0x6461_7465: .date
            case 0x6461_7461: .data
            case 0x706C_6973_74: .plist
            default: nil
            }
        }
    }

    /// What to write instead of an element that property lists do not have.
    static func hint(forUnknown name: String) -> String? {
        switch name.lowercased() {
        case "bool", "boolean": "write a boolean as <true/> or <false/>"
        case "yes": "write <true/>"
        case "no": "write <false/>"
        case "int", "number", "long", "uint": "write a whole number as <integer>"
        case "float", "double": "write a number with a fraction as <real>"
        case "dictionary", "map", "object": "write a dictionary as <dict>"
        case "list", "set": "write a list as <array>"
        case "str", "text": "write text as <string>"
        case "null", "nil", "none": "property lists have no null; leave the key out"
        case "uid": "write a UID as <dict><key>CF$UID</key><integer>n</integer></dict>"
        case let lowercased: XMLPlistElement(rawValue: lowercased).map { "write <\($0.rawValue)>, in lowercase" }
        }
    }
}
