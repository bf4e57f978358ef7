import CapsuleCore

extension IndexBlock {
    /// The raw block: columns {id u16, length u32, bytes} in the order of their numbers.
    package func encoded() -> [UInt8] {
        var columns = [[UInt8]](repeating: [], count: Int(IndexColumn.last) + 1)
        func with(_ column: UInt16, _ body: (inout [UInt8]) -> Void) { body(&columns[Int(column)]) }

        var seconds: Int64 = 0
        var previous: [UInt8] = []
        for (index, entry) in entries.enumerated() {
            with(IndexColumn.kind) { $0.append(entry.kind.rawValue) }
            with(IndexColumn.root) { $0.append(entry.root.rawValue) }
            with(IndexColumn.mode) { $0.appendInteger(entry.mode.rawValue) }
            with(IndexColumn.seconds) { $0.appendZigzag(entry.modified.seconds &- seconds) }
            seconds = entry.modified.seconds
            with(IndexColumn.nanoseconds) { $0.appendInteger(entry.modified.nanoseconds) }
            let path = entry.path.bytes
            let shared = Self.sharedPrefix(previous, path)
            with(IndexColumn.path) {
                $0.appendVarint(UInt64(shared))
                $0.appendVarint(UInt64(path.count - shared))
                $0.append(contentsOf: path[shared...])
            }
            previous = path
            if entry.kind.hasContent {
                with(IndexColumn.size) { $0.appendVarint(entry.size) }
                with(IndexColumn.digest) { $0.appendDigest(entry.digest) }
                let extents = extents(of: index)
                with(IndexColumn.extents) {
                    $0.appendVarint(UInt64(extents.count))
                    for extent in extents {
                        $0.appendVarint(UInt64(extent.member))
                        $0.appendVarint(UInt64(extent.inner))
                        $0.appendVarint(extent.length)
                    }
                }
            }
            if entry.kind == .link { with(IndexColumn.target) { $0.appendCounted(entry.target) } }
            with(IndexColumn.attributes) {
                $0.appendVarint(UInt64(entry.attributes.count))
                for attribute in entry.attributes {
                    $0.appendCounted(attribute.name)
                    $0.appendCounted(attribute.value)
                }
            }
        }
        with(IndexColumn.members) {
            $0.appendVarint(UInt64(members.count))
            for member in members {
                $0.appendInteger(member.offset)
                $0.appendInteger(member.stored)
                $0.appendInteger(member.raw)
            }
        }

        var block: [UInt8] = []
        block.reserveCapacity(columns.reduce(0) { $0 + $1.count + 6 })
        for id in 1...IndexColumn.last {
            block.appendInteger(id)
            block.appendInteger(UInt32(truncatingIfNeeded: columns[Int(id)].count))
            block.append(contentsOf: columns[Int(id)])
        }
        return block
    }

    private static func sharedPrefix(_ left: [UInt8], _ right: [UInt8]) -> Int {
        let limit = min(left.count, right.count)
        var count = 0
        while count < limit, left[count] == right[count] { count += 1 }
        return count
    }
}
