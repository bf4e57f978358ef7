import CapsulePropertyList

/// The names that `$(NAME)` and conditions ask for: those of build settings and of the environment.
public enum SettingName {
    /// What ends a name in a reference, joins two texts in one, or stands between names.
    private static let foreign = Set("=:$(){}[]\"'`\\<>!&|;,".utf8)

    /// Refuses a name that no reference can have, such as one with a space.
    ///
    /// - Throws: `invalid`.
    public static func check(_ name: String) throws(OverlayError) {
        guard !name.isEmpty else {
            throw OverlayError(.invalid, "the name is missing", hint: "write 'NAME=VALUE', or 'NAME' for a condition")
        }
        let isSpaced = name.unicodeScalars.contains { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F }
        guard isSpaced || name.utf8.contains(where: foreign.contains) else { return }
        throw OverlayError(
            .invalid, "\(PlistString(name).quoted) is not a name: '$(NAME)' can't refer to it",
            hint: isSpaced ? "write 'NAME=VALUE' without spaces around '='" : "use letters, digits and '_' only")
    }

    /// Refuses what is written before and after the first `=` of an argument, `NAME=VALUE`.
    ///
    /// - Parameters:
    ///   - name: what is before the `=`.
    ///   - value: what is behind it; nil where there is none.
    /// - Throws: `invalid` also for `NAME==VALUE`, which a value that begins with `=` would be.
    public static func check(_ name: String, value: String?) throws(OverlayError) {
        try check(name)
        guard let value, value.utf8.first == UInt8(ascii: "=") else { return }
        let meant = value.drop { $0 == "=" }
        throw OverlayError(
            .invalid, "\(PlistString("\(name)=\(value)").quoted) has '==' after the name", hint: "write '\(name)=\(meant)'")
    }
}
