import CapsulePropertyList

/// The encodings that `plist convert` takes.
enum FormatChoice: String, WordChoice {
    case xml, binary, json, openstep

    /// The encoding meant.
    var format: PlistFormat {
        switch self {
        case .xml: .xml
        case .binary: .binary
        case .json: .json
        case .openstep: .openStep
        }
    }
}
