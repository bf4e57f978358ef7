/// A path in a build setting, taken apart as Xcode's operators do.
///
/// (swiftlang/swift-build Sources/SWBUtil/Path.swift)
struct SettingPath {
    private let path: String
    /// Behind the last `/`.
    private let nameStart: String.Index
    /// Before the last `.` of the name; the end if it has none.
    private let suffixStart: String.Index

    init(_ path: String) {
        self.path = path
        let bytes = path.utf8
        nameStart = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
        suffixStart = bytes[nameStart...].lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
    }

    /// What is before the last `/`; the root keeps its own.
    var directory: String {
        guard nameStart > path.startIndex else { return "" }
        let slash = path.utf8.index(before: nameStart)
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// What is behind the last `/`.
    var name: String { String(path[nameStart...]) }

    /// The name up to its last `.`.
    var stem: String { String(path[nameStart..<suffixStart]) }

    /// The name from its last `.` on.
    var suffix: String { String(path[suffixStart...]) }

    /// All but the suffix.
    var withoutSuffix: String { String(path[..<suffixStart]) }

    /// Without empty and `.` components and, in an absolute path, without `..`.
    var standardized: String {
        guard path != "." else { return path }
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        return (isAbsolute ? "/" : "") + components(resolvingParents: isAbsolute).joined(separator: "/")
    }

    private func components(resolvingParents: Bool) -> [Substring] {
        var components: [Substring] = []
        for component in path.split(separator: "/") where component != "." {
            if component == "..", resolvingParents {
                _ = components.popLast()
            } else {
                components.append(component)
            }
        }
        return components
    }

    /// One path behind another; an absolute one stays by itself.
    static func join(_ path: String, _ other: String) -> String {
        if path.isEmpty || other.hasPrefix("/") { return other }
        if other.isEmpty { return path }
        return path.hasSuffix("/") ? path + other : path + "/" + other
    }

    /// The relative path that leads from one directory to another; nil if one of them is not absolute.
    static func way(from base: String, to target: String) -> String? {
        guard let (base, target) = absolute(base, target) else { return nil }
        let common = zip(base, target).prefix { $0 == $1 }.count
        let steps = Array(repeating: "..", count: base.count - common) + target[common...].map(String.init)
        return steps.isEmpty ? "." : steps.joined(separator: "/")
    }

    /// Whether a directory holds a path, at any depth; false if one of them is not absolute.
    static func isAncestor(_ directory: String, of path: String) -> Bool {
        guard let (directory, path) = absolute(directory, path) else { return false }
        return directory.count < path.count && path.starts(with: directory)
    }

    private static func absolute(_ first: String, _ second: String) -> ([Substring], [Substring])? {
        guard first.hasPrefix("/"), second.hasPrefix("/") else { return nil }
        return (SettingPath(first).components(resolvingParents: true), SettingPath(second).components(resolvingParents: true))
    }
}
