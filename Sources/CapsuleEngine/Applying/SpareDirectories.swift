import CapsuleCore
import CapsuleFileSystem

/// For each directory that goes, an empty one in the staging that takes its place should the transaction be undone.
///
/// An overlay file system does not rename a directory of its lower layers (rename(2): EXDEV), so there a directory that goes is
/// deleted once it is empty. Only directories need that: the entries in them are renamed one by one in any case.
struct SpareDirectories {
    /// By the number of the change that lets the directory go.
    private(set) var inodes: [Int: UInt64] = [:]
    private let plan: ApplyPlan
    private let rooms: [TransactionRoom]

    init(_ plan: ApplyPlan, _ rooms: [TransactionRoom]) {
        self.plan = plan
        self.rooms = rooms
    }

    /// The number of a spare directory in the staging's `new`: behind those of what is to come.
    func number(of change: Int) -> Int { plan.changes.count + change }

    /// Makes them, with all that the directories have but mode and time, which an undoing sets last.
    mutating func make() throws(CapsuleError) {
        for (number, change) in plan.changes.enumerated() where change.isLeaving {
            guard change.present?.status.kind == .directory else { continue }
            let room = rooms[change.place.root]
            guard !room.movesDirectories, let new = room.new else { continue }
            inodes[number] = try CapsuleError.wrapping { () throws(FileSystemError) in
                let name = StagedEntries.name(self.number(of: number))
                try new.makePrivateDirectory(name)
                let spare = try new.subdirectoryOnDevice(named: name)
                try spare.takeOver(from: try room.root.subdirectoryOnDevice(change.place.path))
                try spare.sync()
                return try spare.status().inode
            }
        }
    }
}
