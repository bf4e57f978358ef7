/// Pointers to what is not put together yet, or leads into a circle.
extension ArchiveResolver {
    /// Bytes of pointers to objects of circles.
    private static let pointerBytesLimit = 1 << 26

    /// Adds a reference to an object that is closed, but belongs to a circle that was open when it was.
    mutating func refer(to number: Int) throws(PlistError) {
        var way = ArchiveWay()
        var next = objectPlaces[number]
        while next > 0 {
            let place = places[next]
            let parent = places[place.parent]
            if let object = parent.object, case .open(let frame) = states[object] {
                // The way goes by the child's position, which must not change any more.
                frames[frame].isPassed = true
                way.prepend(place.steps)
                return try refer(toDepth: frames[frame].depth, by: way)
            }
            way.prepend(place.steps, moved: parent.positions)
            next = place.parent
        }
        try refer(toDepth: 0, by: way)
    }

    /// Adds a reference to what is so deep, and from there by the way.
    mutating func refer(toDepth depth: Int, by way: ArchiveWay) throws(PlistError) {
        let pointer = PlistString("\(childDepth - depth)\(way.pointer)")
        pointerBytes += pointer.utf8.count
        guard pointerBytes <= min(Self.pointerBytesLimit, limits.outputBytes) else {
            throw PlistError(.limitExceeded, "the keyed archive's reference cycles are too large")
        }
        try append(ArchiveNode(reference: pointer, to: depth))
    }
}
