import CapsuleCore
import CapsuleFileSystem

/// Gives an open file or directory its attributes, times and mode.
struct FactSetter {
    let place: ApplyPlan.Place
    let path: HostPath
    let isDirectory: Bool
    /// What it has now.
    let mode: FileMode

    /// What opening and setting attributes takes.
    private var opened: FileMode { FileMode(mode.rawValue | (isDirectory ? 0o700 : 0o600)) }

    /// Opens the entry, opening it up if it is closed to its owner.
    func open(_ spot: EntryPlaces.Spot) throws(FileSystemError) -> OwnedDescriptor {
        do throws(FileSystemError) {
            return try spot.directory.openEntry(spot.name, isDirectory: isDirectory)
        } catch {
            guard error.code == .notPermitted, !place.path.isRoot else { throw error }
        }
        try spot.directory.setMode(of: spot.name, opened)
        return try spot.directory.openEntry(spot.name, isDirectory: isDirectory)
    }

    /// Sets what `facts` names: the mode last but for the sync, since it may close the entry.
    ///
    /// - Returns: the names of attributes that the file system refuses. Backward none may be refused: they were there.
    func apply(
        _ facts: JournalStep.Facts, to descriptor: Int32, isForward: Bool, syncs: Bool
    ) throws(FileSystemError) -> [[UInt8]] {
        var refused: [[UInt8]] = []
        if !facts.attributes.isEmpty || !facts.removed.isEmpty {
            if mode.rawValue & 0o200 == 0 { try Syscall.setMode(descriptor, opened, path: path) }
            for name in facts.removed { try ExtendedAttributes.remove(name, from: descriptor, path: path) }
            for attribute in facts.attributes {
                if !isForward {
                    try ExtendedAttributes.set(attribute, on: descriptor, path: path)
                } else if try !ExtendedAttributes.setIfTaken(attribute, on: descriptor, path: path) {
                    refused.append(attribute.name)
                }
            }
        }
        if let modified = facts.modified {
            do throws(FileSystemError) {
                try Syscall.setTimes(descriptor, modified, path: path)
            } catch {
                // A directory that somebody else owns keeps the time that it has.
                guard isDirectory, error.code == .notPermitted else { throw error }
            }
        }
        let wanted = facts.mode ?? mode
        if try Syscall.status(of: descriptor, path: path).mode != wanted { try Syscall.setMode(descriptor, wanted, path: path) }
        if syncs { try Syscall.sync(descriptor, path: path) }
        return refused
    }
}
