/// A byte that ends one element, or parts it from the next one.
struct TextSeparator {
    /// Whether the last element has it too.
    enum Last {
        case never
        case always
        /// As in the container; if there was nothing in it, where elements are on lines of their own.
        case either
    }

    let byte: UInt8
    let last: Last
}
