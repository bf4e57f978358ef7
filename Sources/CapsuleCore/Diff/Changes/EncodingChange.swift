/// The same content in another encoding, or written in another way in the same one.
public struct EncodingChange: Hashable, Sendable {
    /// `binary`, `xml`, `json`, `utf-8`, `gzip`, `sqlite` …
    public var old: String
    /// The newer content's, in the same words.
    public var new: String

    /// From one encoding to another.
    public init(old: String, new: String) {
        self.old = old
        self.new = new
    }
}
