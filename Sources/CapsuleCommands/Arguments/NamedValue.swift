/// A value of the form `NAME=VALUE`, split at its first `=`; neither half is empty.
struct NamedValue: Sendable, Hashable {
    let name: [UInt8]
    let value: [UInt8]
}
