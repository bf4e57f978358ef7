import CSystem

/// Extended attributes of open files.
extension PlatformCalls {
    package static func setAttribute(_ descriptor: Int32, _ name: String, _ value: [UInt8]) -> Int32 {
        value.withUnsafeBytes { bytes in
            #if canImport(Darwin)
            fsetxattr(descriptor, name, bytes.baseAddress, bytes.count, 0, 0)
            #else
            fsetxattr(descriptor, name, bytes.baseAddress, bytes.count, 0)
            #endif
        }
    }

    /// Fills `value` and returns its length; -1 if the attribute does not exist.
    package static func getAttribute(_ descriptor: Int32, _ name: String, _ value: inout [UInt8]) -> Int {
        #if canImport(Darwin)
        fgetxattr(descriptor, name, &value, value.count, 0, 0)
        #else
        fgetxattr(descriptor, name, &value, value.count)
        #endif
    }

    /// Fills `names`, each followed by a NUL, and returns their total length.
    package static func listAttributes(_ descriptor: Int32, _ names: inout [CChar]) -> Int {
        #if canImport(Darwin)
        flistxattr(descriptor, &names, names.count, 0)
        #else
        flistxattr(descriptor, &names, names.count)
        #endif
    }
}
