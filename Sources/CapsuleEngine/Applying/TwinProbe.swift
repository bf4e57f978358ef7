import CapsuleCore
import CapsuleFileSystem

/// Finds names that are to be in one directory and that the file system does not take, by trying them out in the staging.
struct TwinProbe {
    private let plan: ApplyPlan
    /// Of each of the plan's directories: each is on a file system of its own.
    private let rooms: [TransactionRoom]
    /// Makes a name in a directory; with the code `exists` if it is taken.
    private let make: (RootDirectory, [UInt8]) throws(FileSystemError) -> Void

    init(
        _ plan: ApplyPlan, _ rooms: [TransactionRoom],
        make: @escaping (RootDirectory, [UInt8]) throws(FileSystemError) -> Void = {
            (directory, name) throws(FileSystemError) in try directory.makePrivateDirectory(name)
        }
    ) {
        self.plan = plan
        self.rooms = rooms
        self.make = make
    }

    /// - Throws: for the first two such names, both named, and for the first name that is not taken at all.
    func run() throws(CapsuleError) {
        let wanted = plan.changes.lazy.filter { $0.wanted != nil && !$0.place.path.isRoot }
        try NameProbe(wanted.map { NameProbe.Place(root: $0.place.root, path: $0.place.path) }, for: .changing).run(
            in: { (root) throws(FileSystemError) in try rooms[root].makeProbe() }, make: make,
            shown: { plan.roots[$0.root].hostPath(of: $0.path) })
    }
}
