/// What turns a container's only tag into two.
struct TextOpening {
    /// What goes away.
    let range: Range<Int>
    /// What comes in its place before the contents.
    let head: [UInt8]
    /// What comes behind them.
    let tail: [UInt8]
}
