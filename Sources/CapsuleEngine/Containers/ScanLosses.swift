import CapsuleCore
import CapsuleFileSystem

/// What of a listed directory a version does not hold as it was.
struct ScanLosses {
    /// What the user asked to leave out.
    private(set) var wanted: [Omission] = []
    private(set) var omitted: [Omission] = []

    /// Notes what a listing says of losses.
    ///
    /// - Parameters:
    ///   - reason: says why a tree path is left out that the user asked to leave out.
    ///   - whole: gives the tree path of a path in the listing; for the directory itself, where the version has it.
    mutating func note(_ result: TreeWalk, reason: ([UInt8]) -> String, whole: (RelativePath) -> [UInt8]) {
        for path in result.excluded { wanted.append(Omission(path: whole(path), reason: reason(whole(path)))) }
        for (path, kind) in result.special { omitted.append(Omission(path: whole(path), reason: Self.word(for: kind))) }
        for path in result.transactions { omitted.append(Omission(path: whole(path), reason: "unfinished transaction")) }
        for (path, error) in result.unreadable {
            omitted.append(Omission(path: whole(path), reason: Omission.unlisted + error.message))
        }
        for (path, name) in result.longAttributes { omitted.append(.longAttribute(name, of: whole(path))) }
        var firsts: [DirectoryListing.FileIdentity: [UInt8]] = [:]
        for (entry, file) in result.hardLinks {
            let path = whole(result.entries[entry].path)
            if let first = firsts[file] {
                omitted.append(
                    Omission(
                        path: path, reason: "hard link to \(String(decoding: first, as: UTF8.self)), stored as a separate file"))
            } else {
                firsts[file] = path
            }
        }
    }

    /// Notes one thing more.
    mutating func note(_ omission: Omission) { omitted.append(omission) }

    private static func word(for kind: FileStatus.Kind) -> String {
        let special: Omission.Special? =
            switch kind {
            case .socket: .socket
            case .pipe: .pipe
            case .device: .device
            case .directory, .file, .link: nil
            }
        return special?.rawValue ?? "unknown"
    }
}
