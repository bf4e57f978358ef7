package import CapsuleCore

/// Finds names that a file system can't distinguish from each other, or can't store at all.
/// Some file systems ignore differences in case or in Unicode form, and some accept only UTF-8. Only the file system itself
/// knows, so names in question are created in an empty directory before anything is written.
package struct NameProbe {
    /// The reason for writing the entries, which decides the hints in errors.
    package enum Purpose: Sendable {
        case unpacking, merging, changing

        var collisionHint: String {
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

    /// Groups of places in one directory whose names might be the same to a file system, and single places whose names are not
    /// UTF-8.
    private let groups: [[TargetPath]]
    private let purpose: Purpose

    package init(_ places: some Sequence<TargetPath>, for purpose: Purpose) {
        self.purpose = purpose
        // Hardly any tree has such names, so only the hashes of the other names are kept.
        var seen: Set<Int> = []
        var repeated: Set<Int> = []
        var groups: [[TargetPath]] = []
        for place in places {
            let key = FoldedName(place)
            if !seen.insert(key.hashValue).inserted { repeated.insert(key.hashValue) }
            if String(validating: place.path.name, as: UTF8.self) == nil { groups.append([place]) }
            if let reserved = key.reserved(insteadOf: place) { groups.append([reserved, place]) }
        }
        if !repeated.isEmpty {
            let alike = Dictionary(grouping: places.filter { repeated.contains(FoldedName($0).hashValue) }, by: FoldedName.init)
            groups += alike.values.filter { $0.count > 1 }.map { $0.sorted() }
        }
        self.groups = groups.sorted { $0[0] < $1[0] }
    }

    package static func mightBeOne(_ first: [UInt8], _ second: [UInt8]) -> Bool { folded(first) == folded(second) }

    /// - Parameters:
    ///   - directory: returns an empty directory on the file system of a root. It is called once for each group of names.
    ///   - make: creates a name in that directory, and throws an error with the code `exists` if the name is taken.
    ///   - shown: returns a place as the user knows it.
    package func run(
        in directory: (Int) throws(CapsuleError) -> RootDirectory,
        make: (RootDirectory, [UInt8]) throws(CapsuleError) -> Void = {
            (directory, name) throws(CapsuleError) in try directory.makePrivateDirectory(name)
        },
        shown: (TargetPath) -> HostPath
    ) throws(CapsuleError) {
        for group in groups {
            let probe = try directory(group[0].root)
            for place in group {
                do throws(CapsuleError) {
                    try make(probe, Array(place.path.name))
                } catch {
                    switch error.code {
                    case .exists: throw .taken(for: group[0].path, at: shown(place), purpose)
                    case .notUTF8:
                        throw CapsuleError(
                            error.call?.reason ?? error.message, path: shown(place), hint: purpose.hintAtOtherBytes)
                    default: throw error
                    }
                }
            }
        }
    }

    /// A directory and a name in it. Two keys are equal if a file system might not distinguish their names.
    private struct FoldedName: Hashable {
        let root: Int
        let parent: ArraySlice<UInt8>
        let name: String

        init(_ place: TargetPath) {
            root = place.root
            parent = place.path.bytes.dropLast(place.path.name.count)
            name = NameProbe.folded(place.path.name)
        }

        private static let transaction = NameProbe.folded(ContainerNames.transaction)

        /// Returns the place of a transaction's staging directory if the name might be taken for it, because recovery would trust
        /// the content. Otherwise nil.
        func reserved(insteadOf place: TargetPath) -> TargetPath? {
            guard name == Self.transaction, !place.path.name.elementsEqual(ContainerNames.transaction),
                let path = try? RelativePath(validating: Array(parent) + ContainerNames.transaction)
            else { return nil }
            return TargetPath(root: root, path: path)
        }
    }

    /// Returns a form of the name that is equal for names that differ only in case or Unicode form: `String` compares canonical
    /// decompositions. All conversions are needed, because uppercasing leaves "ẞ" unchanged and turns "ß" into "SS".
    private static func folded(_ name: some Collection<UInt8>) -> String {
        let small = String(decoding: name, as: UTF8.self).lowercased()
        return name.allSatisfy { $0 < 0x80 } ? small : small.uppercased().lowercased()
    }
}

extension CapsuleError {
    package static func taken(for other: RelativePath, at path: HostPath, _ purpose: NameProbe.Purpose) -> CapsuleError {
        CapsuleError("this file system does not distinguish it from \(other)", path: path, hint: purpose.collisionHint)
    }
}

extension RootDirectory {
    /// Returns an empty directory with this name: a new one, or the existing one after its files and empty directories are
    /// deleted.
    package func emptyDirectory(named name: [UInt8]) throws(CapsuleError) -> RootDirectory {
        do throws(CapsuleError) {
            try makePrivateDirectory(name)
        } catch {
            guard error.code == .exists else { throw error }
        }
        let directory = try subdirectoryOnDevice(named: name)
        for entry in try directory.entries() { try directory.remove(entry.name, isDirectory: entry.kind == .directory) }
        return directory
    }
}
