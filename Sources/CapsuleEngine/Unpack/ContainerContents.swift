import CapsuleContainers
import CapsuleCore
import CapsuleSystem
import CapsuleTransaction

/// The files of a container, as the contents of a plan. Their numbers are the positions of the entries.
struct ContainerContents: PlannedContents {
    let container: OpenedContainer

    func write(
        _ files: [PlannedFile], in directory: RootDirectory, jobs: Int, progress: (any ProgressObserver)?
    ) throws(CapsuleError) -> [(number: Int, name: [UInt8])] {
        for file in files {
            guard container.entries.indices.contains(file.content), container.entries[file.content].size == file.entry.size else {
                throw CapsuleError("the content does not exist", path: HostPath(file.place.bytes))
            }
        }
        var staged = container
        staged.entries = files.map(\.entry)
        staged.isDigested = true
        staged.contents.select(files.map(\.content))
        let plan = UnpackPlan(staging: staged, as: files.map(\.name))
        let unpacker = TreeUnpacker(plan: plan, root: directory, jobs: jobs, progress: progress)
        _ = try unpacker.run()
        let numbers = Dictionary(files.map { ($0.name, $0.number) }) { first, _ in first }
        return unpacker.refusedAttributes.compactMap { path, name in numbers[path].map { ($0, name) } }
    }
}

extension ApplyPlan {
    mutating func append(_ other: ApplyPlan, of more: OpenedContainer, to own: OpenedContainer) {
        guard !other.changes.isEmpty else { return }
        let first = own.entries.count
        var joined = own
        joined.entries += more.entries
        joined.contents.append(more.contents, own.entries, more.entries)
        source = ContainerContents(container: joined)
        changes += other.changes.map { change in
            guard let wanted = change.wanted, case .file(let number) = wanted.content else { return change }
            return Change(
                place: change.place, present: change.present,
                wanted: Wanted(entry: wanted.entry, content: .file(first + number)))
        }
        directoryTimes.merge(other.directoryTimes) { first, _ in first }
    }
}
