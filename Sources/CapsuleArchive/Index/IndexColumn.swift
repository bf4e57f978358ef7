import CapsuleCore

/// The columns of a block, by number; from ``mandatory`` on an unknown one can't be passed over.
enum IndexColumn {
    static let kind: UInt16 = 1
    static let root: UInt16 = 2
    static let mode: UInt16 = 3
    static let seconds: UInt16 = 4
    static let nanoseconds: UInt16 = 5
    static let size: UInt16 = 6
    static let digest: UInt16 = 7
    static let path: UInt16 = 8
    static let target: UInt16 = 9
    static let attributes: UInt16 = 10
    static let extents: UInt16 = 11
    static let members: UInt16 = 12
    static let last: UInt16 = 12
    static let mandatory: UInt16 = 0x8000
}
