/// Entry names as zips spell them.
enum ZipName {
    /// Whether bit 11 is due: the name is UTF-8, and more than ASCII. A name in other bytes stands as it is.
    static func claimsUTF8(_ name: [UInt8]) -> Bool {
        name.contains { $0 >= 0x80 } && String(validating: name, as: UTF8.self) != nil
    }
}
