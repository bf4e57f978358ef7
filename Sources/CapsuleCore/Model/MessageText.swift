extension StringProtocol {
    /// A message of the system or of a library, begun as messages here are: in lower case, unless it begins with a name, such as ZIP.
    package var asMessage: String {
        guard let second = dropFirst().first, second == " " || second.isLowercase else { return String(self) }
        return prefix(1).lowercased() + dropFirst()
    }
}
