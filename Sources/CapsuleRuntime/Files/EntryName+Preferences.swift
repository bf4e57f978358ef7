extension EntryName {
    /// Whether a file of `Library/Preferences` has preferences of the system: `.GlobalPreferences`, which on a Mac are those of
    /// all apps, or a domain `com.apple.…`. No seed sets them and no reset removes them.
    var isSystemPreferences: Bool { bytes.first == UInt8(ascii: ".") || dropping(".plist").text.hasPrefix("com.apple.") }
}
