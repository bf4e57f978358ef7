import CapsuleCore
import CapsuleEngine

/// Arguments of `undo` and `drop` in the wrong order, and capsules that are no undo files.
extension CommandContext {
    /// Fails if the undo file is a live container: no undo file is a directory.
    func refuseLiveUndoFile() throws(CapsuleError) {
        guard command.id == .undo, let file = command[.overlays].first, isLive(file) else { return }
        let target = command[.target]
        let swapped = "FILE comes first: 'capsule undo \(QuotedBytes(target).text) \(QuotedBytes(file).text)'"
        throw CapsuleError(
            .usage, "is a container, not an undo file", path: HostPath(file),
            hint: isLive(target) ? Self.writingUndoFiles : swapped)
    }

    /// Fails if what is to be undone is a capsule of a container.
    func refuseCapsuleOfContainer(_ source: OverlaySource) throws(CapsuleError) {
        guard command.id == .undo, source.isContainer else { return }
        throw CapsuleError(
            .usage, "is a capsule of a container, not an undo file", path: HostPath(source.argument),
            hint: "'capsule restore \(QuotedBytes(source.argument).text) \(QuotedBytes(command[.target]).text)' goes back to it; "
                + Self.writingUndoFiles)
    }

    /// The directory in which `drop` deletes.
    func targetOfDrop() throws(CapsuleError) -> HostPath {
        do throws(CapsuleError) {
            return try container(command[.target]).liveDirectory()
        } catch {
            let target = QuotedBytes(command[.target]).text
            let words = command[.noise]
            guard error.code == .notFound, (try? DroppedNoise.list(target)) != nil,
                let place = words.firstIndex(where: { (try? DroppedNoise.list($0)) == nil })
            else { throw error }
            var classes = [target] + words
            let container = classes.remove(at: place + 1)
            throw CapsuleError(
                .usage, "'\(target)' is a class of noise, not a container",
                hint: "TARGET comes first: 'capsule drop \(container) \(classes.joined(separator: " "))'")
        }
    }

    private static let writingUndoFiles = "'restore', 'apply' and 'drop' write an undo file with '--undo'"

    private func isLive(_ argument: [UInt8]) -> Bool { (try? container(argument).liveDirectory()) != nil }
}
