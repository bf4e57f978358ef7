import CapsuleCore
import Synchronization

/// Keeps images of changed files for a report that shows them, as long as there is room.
final class PictureAlbum: Sendable {
    /// Bytes of one image, and of all of them.
    private static let longest: UInt64 = 4 << 20
    private static let room: UInt64 = 48 << 20

    private let used = Mutex<UInt64>(0)

    /// Adds the images that an entry is on both sides.
    func add(
        to change: inout EntryChange, _ item: TreeDiff.Item, _ old: ComparedSide, _ new: ComparedSide
    ) throws(CapsuleError) {
        // What only moved, or has other modes, is one picture, and of no interest but where it went.
        if item.old != nil, item.new != nil, !item.hasOtherContent, change.kind != .type { return }
        change.pictures = (try picture(item.old, of: old), try picture(item.new, of: new))
    }

    private func picture(_ place: Int?, of side: ComparedSide) throws(CapsuleError) -> EntryChange.Picture? {
        guard let place, side.failures[place] == nil, side.tree.entries[place].kind == .file else { return nil }
        let size = side.tree.entries[place].size
        guard size > 0, size <= Self.longest, let file = try? side.open(place) else { return nil }
        let content = ComparedContent(file, size: size)
        guard let head = try? content.head(), let header = ImageHeader(head), take(size) else { return nil }
        try CapsuleError.checkInterruption()
        return (try? content.all()).flatMap { $0 }.map { EntryChange.Picture(type: header.mediaType, bytes: $0) }
    }

    private func take(_ size: UInt64) -> Bool {
        used.withLock { used in
            guard used + size <= Self.room else { return false }
            used += size
            return true
        }
    }
}
