package import CapsuleCore

/// Cuts a capsule into the layers of a manifest.
///
/// The file's bytes alone decide where, so that everyone who uploads it makes the same blobs, and so that an upload of a file that has
/// grown shares all of them. A reader does not rely on any of this.
package struct LayerCut {
    package struct Layer: Hashable, Sendable {
        package let range: Range<UInt64>
        package let kind: LayerKind
        /// The number of the layer in the manifest that it is taken over from; nil if it is new.
        package var known: Int?

        fileprivate init(_ start: UInt64, _ end: UInt64, _ kind: LayerKind, known: Int? = nil) {
            range = start..<end
            self.kind = kind
            self.known = known
        }
    }

    /// The ends of a segment's data members, in order; empty if it has none.
    package typealias MemberEnds = (Range<UInt64>) throws(CapsuleError) -> [UInt64]

    /// The greatest number of layers. Registries have undocumented limits of 500.
    package static let layerLimit = 400
    /// A segment of at most this length is one layer, and no layer of data is shorter unless it is all there is.
    private static let small: UInt64 = 1 << 20
    /// The length from which a layer of data ends with the next member. It doubles until a segment has few enough layers.
    private static let usual: UInt64 = 32 << 20
    private static let segmentLayerLimit = 128
    /// The number of segments that are joined when there are too many layers.
    private static let groupCount = 64
    /// The lengths for joined segments: the second is for capsules that the first leaves with too many layers.
    private static let joinedLengths = [usual, 8 * usual]

    private let segments: [Range<UInt64>]
    private let memberEnds: MemberEnds

    /// Cuts a capsule that consists of the segments.
    /// - Parameters:
    ///   - segments: the bytes of each version or label record (docs/format.md, section 1).
    ///   - known: the layers of a manifest whose capsule begins with the same bytes. They are taken over as they are, wherever they were cut.
    ///   - common: the number of bytes that both capsules have in common.
    ///   - memberEnds: is called only for segments that are cut.
    /// - Throws: an error with the code `limit` if the layers would be too many.
    package static func layers(
        of segments: [Range<UInt64>], keeping known: [OCIManifest.Layer] = [], common: UInt64 = 0,
        memberEnds: @escaping MemberEnds
    ) throws(CapsuleError) -> [Layer] {
        let cut = LayerCut(segments: segments, memberEnds: memberEnds)
        var layers = try cut.joined(cut.extended(kept(known, common)))
        // Unknown cuts may have no ends where segments can be joined.
        if layers.count > layerLimit, !known.isEmpty { layers = try cut.joined(cut.extended([])) }
        guard layers.count <= layerLimit else {
            throw CapsuleError(
                .limit, "has so many bytes and versions that it takes \(layers.count) layers; registries take \(layerLimit)",
                hint: "'capsule compact' makes a capsule with fewer versions")
        }
        return layers
    }

    private static func kept(_ known: [OCIManifest.Layer], _ common: UInt64) -> [Layer] {
        var kept: [Layer] = []
        var offset: UInt64 = 0
        for (number, layer) in known.enumerated() {
            guard layer.size <= common - offset else { break }
            kept.append(Layer(offset, offset + layer.size, layer.kind, known: number))
            offset += layer.size
        }
        return kept
    }

    /// Adds the layers of all that follows the kept ones.
    private func extended(_ kept: [Layer]) throws(CapsuleError) -> [Layer] {
        var layers = kept
        let start = kept.last?.range.upperBound ?? 0
        for segment in segments where segment.upperBound > start {
            layers += try self.layers(of: segment, from: max(start, segment.lowerBound))
        }
        return layers
    }

    /// - Parameter start: the first byte that belongs to no layer yet, usually that of the segment.
    private func layers(of segment: Range<UInt64>, from start: UInt64) throws(CapsuleError) -> [Layer] {
        let isWhole = start == segment.lowerBound
        if segment.length <= Self.small { return [Layer(start, segment.upperBound, isWhole ? .segment : .tail)] }
        let ends = try memberEnds(segment)
        let length = Self.pieceLength(of: ends, from: segment.lowerBound, atLeast: Self.usual)
        var layers = Self.pieces(of: ends.filter { $0 > start }, from: start, length).map { Layer($0, $1, .data) }
        let tail = max(start, ends.last ?? start)
        if tail < segment.upperBound { layers.append(Layer(tail, segment.upperBound, .tail)) }
        return layers
    }

    /// Joins the oldest groups of segments until there are few enough layers. A group that was joined before stays as it is.
    private func joined(_ layers: [Layer]) throws(CapsuleError) -> [Layer] {
        var layers = layers
        for length in Self.joinedLengths {
            var place = 0
            for group in 0..<segments.count / Self.groupCount {
                if layers.count <= Self.layerLimit { return layers }
                let group = segments[group * Self.groupCount..<(group + 1) * Self.groupCount]
                guard let start = group.first?.lowerBound, let end = group.last?.upperBound else { break }
                while place < layers.count, layers[place].range.lowerBound < start { place += 1 }
                var next = place
                while next < layers.count, layers[next].range.upperBound <= end { next += 1 }
                guard next > place, layers[place].range.lowerBound == start, layers[next - 1].range.upperBound == end,
                    next - place > Int((end - start) / length) + 1
                else { continue }
                let pieces = try pieces(joining: group, length).map { Layer($0, $1, .data) }
                if pieces.count < next - place { layers.replaceSubrange(place..<next, with: pieces) }
            }
        }
        return layers
    }

    private func pieces(
        joining group: ArraySlice<Range<UInt64>>, _ length: UInt64
    ) throws(CapsuleError) -> [(start: UInt64, end: UInt64)] {
        var ends: [UInt64] = []
        for segment in group {
            if segment.length > Self.small { ends += try memberEnds(segment) }
            if ends.last != segment.upperBound { ends.append(segment.upperBound) }
        }
        let start = group.first?.lowerBound ?? 0
        return Self.pieces(of: ends, from: start, Self.pieceLength(of: ends, from: start, atLeast: length))
    }

    /// Returns the first doubling of a length with which there are few enough pieces.
    private static func pieceLength(of ends: [UInt64], from start: UInt64, atLeast length: UInt64) -> UInt64 {
        var length = length
        while pieces(of: ends, from: start, length).count > segmentLayerLimit { length *= 2 }
        return length
    }

    /// Cuts at the first of the ends with which a piece has the length. A short rest joins the piece before it.
    private static func pieces(of ends: [UInt64], from start: UInt64, _ length: UInt64) -> [(start: UInt64, end: UInt64)] {
        var pieces: [(start: UInt64, end: UInt64)] = []
        var start = start
        for end in ends where end - start >= length {
            pieces.append((start, end))
            start = end
        }
        guard let end = ends.last, end > start else { return pieces }
        if end - start < small, !pieces.isEmpty {
            pieces[pieces.count - 1].end = end
        } else {
            pieces.append((start, end))
        }
        return pieces
    }
}
