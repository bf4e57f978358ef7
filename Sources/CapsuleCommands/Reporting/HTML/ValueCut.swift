/// How much of one value a page shows.
struct ValueCut {
    /// Unicode scalars of a string, bytes of data.
    let length: Int?
    /// Values of an array or a dictionary.
    let values: Int
    /// Unicode scalars of a text's line, an SQL statement, a message.
    let line: Int

    /// Even a full page has its bounds: a small file may hold a value that expands to any size.
    init(isFull: Bool) {
        length = isFull ? nil : 240
        values = isFull ? 100_000 : 50
        line = isFull ? 1 << 20 : 1_000
    }
}
