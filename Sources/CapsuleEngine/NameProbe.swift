import CapsuleCore
import CapsuleFileSystem

/// Finds names that a file system does not take beside each other, or does not take at all.
///
/// Some file systems take names for one that differ in case or in their Unicode form, and some take only UTF-8. Only they know
/// which: names in question are tried out in an empty directory before anything is written.
struct NameProbe {
    /// Where an entry is to be.
    struct Place: Sendable, Comparable {
        /// Which of several directories it is in; each may be on a file system of its own.
        let root: Int
        let path: RelativePath

        static func < (lhs: Place, rhs: Place) -> Bool {
            lhs.root != rhs.root ? lhs.root < rhs.root : lhs.path < rhs.path
        }
    }

    /// What the entries are written for: it says what helps.
    enum Purpose: Sendable {
        case unpacking, merging, changing

        var hintAtTwins: String {
            switch self {
            case .unpacking: "unpack to a file system that distinguishes them, or into an archive with '--as tar.gz'"
            case .merging: "write the result to a file system that distinguishes them, or to a name that ends in '.capsule'"
            case .changing: "put the container on a file system that distinguishes them"
            }
        }

        var hintAtOtherBytes: String {
            switch self {
            case .unpacking: "unpack to a file system that allows any bytes in names, or into an archive with '--as tar.gz'"
            case .merging:
                "write the result to a file system that allows any bytes in names, or to a name that ends in '.capsule'"
            case .changing: "put the container on a file system that allows any bytes in names"
            }
        }
    }

    /// Places of one directory whose names might be taken for one; and single ones whose names are not UTF-8.
    private let groups: [[Place]]
    private let purpose: Purpose

    init(_ places: some Sequence<Place>, for purpose: Purpose) {
        self.purpose = purpose
        // Hardly any tree has such names: only hashes are kept of the others.
        var seen: Set<Int> = []
        var repeated: Set<Int> = []
        var groups: [[Place]] = []
        for place in places {
            let key = Key(place)
            if !seen.insert(key.hashValue).inserted { repeated.insert(key.hashValue) }
            if String(validating: place.path.name, as: UTF8.self) == nil { groups.append([place]) }
            if let reserved = key.reserved(insteadOf: place) { groups.append([reserved, place]) }
        }
        if !repeated.isEmpty {
            let twins = Dictionary(grouping: places.filter { repeated.contains(Key($0).hashValue) }, by: Key.init)
            groups += twins.values.filter { $0.count > 1 }.map { $0.sorted() }
        }
        self.groups = groups.sorted { $0[0] < $1[0] }
    }

    /// Whether a file system might take two names for one.
    static func mightBeOne(_ first: [UInt8], _ second: [UInt8]) -> Bool { folded(first) == folded(second) }

    /// Tries the names out.
    ///
    /// - Parameters:
    ///   - directory: an empty directory on the file system of a root; asked for once for each group of names.
    ///   - make: makes a name in it; with the code `exists` if it is taken.
    ///   - shown: a place as the user knows it.
    /// - Throws: for the first name that is not taken, with the one that the file system takes it for.
    func run(
        in directory: (Int) throws(FileSystemError) -> RootDirectory,
        make: (RootDirectory, [UInt8]) throws(FileSystemError) -> Void = {
            (directory, name) throws(FileSystemError) in try directory.makePrivateDirectory(name)
        },
        shown: (Place) -> HostPath
    ) throws(CapsuleError) {
        for group in groups {
            let probe = try CapsuleError.wrapping { () throws(FileSystemError) in try directory(group[0].root) }
            for place in group {
                do throws(FileSystemError) {
                    try make(probe, Array(place.path.name))
                } catch {
                    switch error.code {
                    case .exists: throw .taken(for: group[0].path, at: shown(place), purpose)
                    case .notUTF8:
                        throw CapsuleError(error.reason, path: shown(place), hint: purpose.hintAtOtherBytes)
                    default: throw CapsuleError(error)
                    }
                }
            }
        }
    }

    /// A directory and a name in it, equal for names that might be taken for one.
    private struct Key: Hashable {
        let root: Int
        let parent: ArraySlice<UInt8>
        let name: String

        init(_ place: Place) {
            root = place.root
            parent = place.path.bytes.dropLast(place.path.name.count)
            name = NameProbe.folded(place.path.name)
        }

        private static let transaction = NameProbe.folded(ContainerNames.transaction)

        /// The place of a transaction's staging, if the name might be taken for it: what lies there would be believed.
        func reserved(insteadOf place: Place) -> Place? {
            guard name == Self.transaction, !place.path.name.elementsEqual(ContainerNames.transaction),
                let path = try? RelativePath(validating: Array(parent) + ContainerNames.transaction)
            else { return nil }
            return Place(root: root, path: path)
        }
    }

    /// Equal texts are those whose canonical decompositions are. All ways, since "ẞ" has no large form and "ß" none of one letter.
    private static func folded(_ name: some Collection<UInt8>) -> String {
        let small = String(decoding: name, as: UTF8.self).lowercased()
        return name.allSatisfy { $0 < 0x80 } ? small : small.uppercased().lowercased()
    }
}

extension CapsuleError {
    /// An entry whose name the file system takes for another one's.
    static func taken(for other: RelativePath, at path: HostPath, _ purpose: NameProbe.Purpose) -> CapsuleError {
        CapsuleError("this file system does not distinguish it from \(other)", path: path, hint: purpose.hintAtTwins)
    }
}

extension RootDirectory {
    /// A directory of that name with nothing in it: a new one, or the one that is there, emptied of files and empty directories.
    func emptyDirectory(named name: [UInt8]) throws(FileSystemError) -> RootDirectory {
        do throws(FileSystemError) {
            try makePrivateDirectory(name)
        } catch {
            guard error.code == .exists else { throw error }
        }
        let directory = try subdirectoryOnDevice(named: name)
        for entry in try directory.entries() { try directory.remove(entry.name, isDirectory: entry.kind == .directory) }
        return directory
    }
}
