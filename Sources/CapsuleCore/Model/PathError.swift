/// Why bytes are no path of a tree.
public struct PathError: Error, Hashable, Sendable {
    /// The rule that was broken.
    public enum Problem: Hashable, Sendable {
        /// There is no byte at all.
        case empty
        /// Longer than ``RelativePath/maximumLength``.
        case tooLong
        /// It begins with `/`.
        case absolute
        /// Two `/` in a row, or one at the end.
        case emptyComponent
        /// A component longer than ``RelativePath/maximumComponentLength``.
        case componentTooLong
        /// A component `.`.
        case dotComponent
        /// A component `..`.
        case climbing
        /// A byte 0, which no file system takes.
        case nul
        /// Where a single component is asked for.
        case slash
    }

    /// The rule that was broken.
    public let problem: Problem
    /// The bytes as they came.
    public let bytes: [UInt8]

    /// What is wrong, in words that follow the path in a message.
    public var message: String {
        switch problem {
        case .empty: "the name is empty"
        case .tooLong: "the path is longer than \(RelativePath.maximumLength) bytes"
        case .absolute: "the path is absolute"
        case .emptyComponent: "the path has an empty component"
        case .componentTooLong: "a component is longer than \(RelativePath.maximumComponentLength) bytes"
        case .dotComponent: "the path has a component '.'"
        case .climbing: "the path leaves the container with '..'"
        case .nul: "the path contains a NUL byte"
        case .slash: "the name contains a '/'"
        }
    }
}
