package import CapsuleCore

extension CapsuleReader {
    /// Returns the ends of a segment's data members, in order. They are before its other members.
    package func dataMemberEnds(from start: UInt64, to end: UInt64) throws(CapsuleError) -> [UInt64] {
        let walk = MemberWalk(file, codec: codec, from: start, to: end, readsContent: false)
        var ends: [UInt64] = []
        while !walk.isAtEnd {
            guard case .member(let header) = try walk.member(), UInt64(header.length) <= end - walk.offset else {
                throw CapsuleError(.damaged, "the bytes at \(walk.offset) are not a member", path: file.path)
            }
            guard header.kind == .data else { break }
            walk.pass(header)
            ends.append(walk.offset)
        }
        return ends
    }
}
