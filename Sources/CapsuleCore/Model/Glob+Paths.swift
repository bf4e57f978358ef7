extension Glob {
    /// Why a pattern matches no path, whatever is in a container; nil where it may.
    public static func problem(ofPath pattern: [UInt8]) -> String? {
        if pattern.first == RelativePath.slash || pattern.last == RelativePath.slash {
            return "matches no path: paths don't start or end with '/'"
        }
        let idle = pattern.split(separator: RelativePath.slash, omittingEmptySubsequences: false).first { component in
            component.isEmpty || component.elementsEqual(".".utf8) || component.elementsEqual("..".utf8)
        }
        guard let idle, !pattern.isEmpty else { return nil }
        return "matches no path: paths have no \(idle.isEmpty ? "empty" : "'\(String(decoding: idle, as: UTF8.self))'") component"
    }
}
