/// What `unpack --as` makes of a container.
enum UnpackForm: String, WordChoice {
    /// The whole bundle, with all that its wrapper held.
    case xcappdata
    /// AppData's content with the identity plist, without groups.
    case container
    /// The tree alone, groups as AppGroups/ID.
    case directory
    case tarGzip = "tar.gz"
    case tarZstd = "tar.zst"
    case zip

    /// Whether the result is one file, which may go to standard output.
    var isArchive: Bool {
        switch self {
        case .xcappdata, .container, .directory: false
        case .tarGzip, .tarZstd, .zip: true
        }
    }
}
