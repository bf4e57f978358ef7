/// Where the values of a property list stand in its text: what a minimal edit needs to leave everything else alone.
///
/// Offsets are of bytes in the UTF-8 text without its byte order mark.
struct TextLayout: Sendable {
    /// One value.
    struct Node: Hashable, Sendable {
        /// The value's own bytes, from its opening tag, bracket or quotation mark to behind the closing one.
        var range: Range<Int>
        /// Of an array or dictionary: what stands between its brackets or tags. Empty, at the end of ``range``, for `<dict/>`.
        /// nil for scalars.
        var inner: Range<Int>?
        /// Of a dictionary's value: its key's own bytes, tags and quotation marks included. nil elsewhere.
        var key: Range<Int>?
        /// The number of the next node that is not inside this one.
        var next: Int
    }

    /// In the order of the text, a container before what is in it. The root is the first.
    var nodes: [Node] = []

    /// The values directly inside a container, in order.
    func children(of number: Int) -> [Int] {
        var children: [Int] = []
        var child = number + 1
        while child < nodes[number].next {
            children.append(child)
            child = nodes[child].next
        }
        return children
    }
}
