import CapsuleCore
import CapsuleFileSystem

/// Finds names that are to be in one directory and that the file system takes for one: of another case, or composed otherwise.
///
/// Only it knows: names that might be taken for one are tried out, in the staging.
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

    /// - Throws: for the first two such names, both named.
    func run() throws(CapsuleError) {
        let twins = twins()
        for group in twins {
            let probe = try CapsuleError.wrapping { () throws(FileSystemError) in try rooms[group[0].root].makeProbe() }
            for place in group {
                do throws(FileSystemError) {
                    try make(probe, Array(place.path.name))
                } catch {
                    guard error.code == .exists else { throw CapsuleError(error) }
                    throw CapsuleError(
                        "this file system takes it for \(group[0].path)",
                        path: plan.roots[place.root].hostPath(of: place.path),
                        hint: "put the container on a file system that tells them apart")
                }
            }
        }
    }

    /// Places of one directory whose names might be taken for one, two at least each.
    private func twins() -> [[ApplyPlan.Place]] {
        struct Key: Hashable {
            let root: Int
            let parent: [UInt8]
            let name: String
        }
        var groups: [Key: [ApplyPlan.Place]] = [:]
        for change in plan.changes where change.wanted != nil {
            guard let parent = change.place.path.parent else { continue }
            // Equal texts are those whose canonical decompositions are; both ways, since "ß" has no small form of "SS".
            let name = String(decoding: change.place.path.name, as: UTF8.self).uppercased().lowercased()
            groups[Key(root: change.place.root, parent: parent.bytes, name: name), default: []].append(change.place)
        }
        return groups.values.filter { $0.count > 1 }.map { $0.sorted() }.sorted { $0[0] < $1[0] }
    }
}
