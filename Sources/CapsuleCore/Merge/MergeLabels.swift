/// What the sides are called at the marks around a conflict.
public struct MergeLabels: Hashable, Sendable {
    /// At `<<<<<<<`.
    public var ours: String
    /// At `|||||||`; nil leaves out that mark and the base's lines.
    public var base: String?
    /// At `>>>>>>>`.
    public var theirs: String

    /// Labels of one line each: what follows a line's end in them is left out.
    public init(ours: String, base: String? = nil, theirs: String) {
        self.ours = ours
        self.base = base
        self.theirs = theirs
    }
}
