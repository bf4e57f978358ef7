import CapsuleCore

/// What could not be read is not known to be missing; what somebody wished away is.
extension Omission {
    /// How the reason of a directory that could not be listed begins, and that of a file that could not be read. Capsules hold both.
    static let unlisted = "its content is unreadable: "
    private static let unread = "unreadable: "

    /// The reason of a file that could not be read, with what the system said.
    static func unreadable(_ message: String) -> String { unread + message }

    /// Whether it is a directory that could not be listed.
    var isUnlisted: Bool { reason.hasPrefix(Self.unlisted) }
    /// Whether it is that, or a file that could not be read.
    var isUnreadable: Bool { isUnlisted || reason.hasPrefix(Self.unread) }
    /// Whether it was left out since somebody asked for that.
    var isWished: Bool { reason == "excluded" || reason.hasPrefix("dropped: ") }

    /// The kinds of files that a version can't hold.
    enum Special: String, CaseIterable {
        case socket, pipe, device
    }

    /// The kind of a file that a version can't hold; nil for any other omission.
    var special: Special? { Special(rawValue: reason) }
}
