/// A data member in the file.
package struct MemberReference: Hashable, Sendable {
    package var offset: UInt64
    /// What it takes in the file.
    package var stored: UInt32
    /// What it holds.
    package var raw: UInt32

    package init(offset: UInt64, stored: UInt32, raw: UInt32) {
        self.offset = offset
        self.stored = stored
        self.raw = raw
    }
}
