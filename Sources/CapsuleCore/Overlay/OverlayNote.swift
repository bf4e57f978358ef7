public import CapsulePropertyList

/// What an overlay did that is worth a word, and no error.
public struct OverlayNote: Hashable, Sendable {
    /// The place in the property list; nil where it is about the whole overlay.
    public let target: PlistPointer?
    /// Lower case, no period.
    public let message: String
    /// What to write if it was not meant, lower case, no period.
    public let hint: String?
    /// The message, with the place behind it unless that is the whole property list.
    public var text: String { message + (target.map { $0.isRoot ? "" : " (at \($0))" } ?? "") }

    package init(_ message: String, at target: PlistPointer? = nil, hint: String? = nil) {
        self.target = target
        self.message = message
        self.hint = hint
    }
}
