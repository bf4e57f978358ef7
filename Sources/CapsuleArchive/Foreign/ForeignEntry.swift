import CapsuleCore
import CapsuleFileSystem

/// An entry as an archive has it: nothing of it has been checked but that the numbers are numbers.
struct ForeignEntry {
    enum Kind: Equatable {
        case directory, file, link
        /// Another name of the file that ``ForeignEntry/target`` names.
        case hardLink
        /// What no tree holds.
        case special(FileStatus.Kind)
    }

    var name: [UInt8]
    var kind: Kind
    var mode: FileMode
    /// Whether the archive has a mode for it; otherwise ``mode`` is made up.
    var hasMode = true
    var modified: Timestamp
    /// A file's length, holes included.
    var size: UInt64 = 0
    /// What a link or hard link leads to.
    var target: [UInt8] = []
    var attributes = ExtendedAttributes.Reading()

    /// The name for messages.
    var path: HostPath { HostPath(name) }
}
