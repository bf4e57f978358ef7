/// A value of the form `NAME=VALUE`, split at its first `=`; the name is not empty.
struct NamedValue: Sendable, Hashable {
    let name: [UInt8]
    let value: [UInt8]
}
