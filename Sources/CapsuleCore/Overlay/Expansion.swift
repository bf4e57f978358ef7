public import CapsulePropertyList

/// Expands `$(NAME)` and `${NAME}` in an overlay's strings, with Xcode's operators (design: overlay.md).
public struct Expansion: Sendable {
    /// The names that are set.
    public let values: [String: String]

    /// An expansion by these values.
    public init(values: [String: String]) {
        self.values = values
    }

    /// The text with its names expanded.
    ///
    /// - Parameter place: where the text goes, for messages.
    /// - Throws: `undefined` for a name that has no value and no default.
    public func expand(_ text: String, at place: PlistPointer? = nil) throws(OverlayError) -> String {
        text
    }
}
