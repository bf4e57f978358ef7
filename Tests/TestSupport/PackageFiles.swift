/// The paths of the package's own files.
package enum PackageFiles {
    /// The directory of `Package.swift`.
    package static let root = parent(parent(parent("\(#filePath)")))
    package static let samples = root + "/Samples"
    package static let tools = root + "/Tests/Tools"

    private static func parent(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return String(path[..<slash])
    }
}
