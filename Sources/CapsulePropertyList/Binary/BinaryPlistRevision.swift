/// A binary property list that is made of an old one's objects and of new ones, with their new numbers.
struct BinaryPlistRevision: ~Copyable {
    // Never changed. As a constant, Swift 6.2 would let no initializer call a method that changes the rest.
    private var match: BinaryPlistMatch
    /// The old objects that are left, in their order.
    private var kept: [Int] = []
    /// The new number of each old object, -1 for those that go.
    private var numbers: [Int]
    /// The records of the new objects, in the order in which a writer comes to them.
    private var added: [Int] = []
    private var addedNumbers: [Int: Int] = [:]

    init(_ match: consuming BinaryPlistMatch) {
        numbers = [Int](repeating: -1, count: match.stays.count)
        for object in match.stays.indices where match.stays[object] || match.changes[object] != nil {
            numbers[object] = kept.count
            kept.append(object)
        }
        self.match = match
        number()
    }

    /// Numbers the new objects, following changed and new containers from the root on.
    private mutating func number() {
        var visited = [Bool](repeating: false, count: match.containers.count)
        var open = [match.root]
        while let target = open.popLast() {
            let container: Int?
            switch match.resolve(target) {
            case .object(let object):
                container = match.changes[object]
            case .record(let record):
                container = match.container(of: record)
                if addedNumbers[record] == nil {
                    addedNumbers[record] = kept.count + added.count
                    added.append(record)
                }
            }
            guard let container, !visited[container] else { continue }
            visited[container] = true
            open.append(contentsOf: match.containers[container].children.reversed())
        }
    }

    /// The document. Throws `limitExceeded` if it is too large.
    func bytes(limits: PlistLimits) throws(PlistError) -> [UInt8] {
        let trailer = match.objects.trailer
        var bytes = 0
        var references = 0
        for object in kept {
            if let number = match.changes[object] {
                bytes += head(of: number, changing: object)?.count ?? headBytes(of: match.containers[number])
                references += match.containers[number].children.count
            } else {
                bytes += match.objects[object].head.count
                references += match.objects[object].references
            }
        }
        for record in added {
            if let container = match.container(of: record) {
                bytes += headBytes(of: match.containers[container])
                references += match.containers[container].children.count
            } else {
                bytes += match.table.records[record].count
            }
        }
        let layout = try BinaryPlistLayout(
            objects: kept.count + added.count, bytes: bytes, references: references, root: number(of: match.root),
            replacing: trailer, limits: limits)
        return document(layout)
    }

    private func document(_ layout: BinaryPlistLayout) -> [UInt8] {
        var document = BinaryPlistDocument(layout)
        for object in kept {
            document.beginObject()
            if let number = match.changes[object] {
                append(match.containers[number], head: head(of: number, changing: object), to: &document)
                continue
            }
            let place = match.objects[object]
            document.append(UnsafeRawBufferPointer(rebasing: match.objects.bytes[place.head]))
            for position in 0..<place.references {
                document.append(reference: numbers[match.objects.reference(position, of: place)])
            }
        }
        for record in added {
            document.beginObject()
            if let container = match.container(of: record) {
                append(match.containers[container], head: nil, to: &document)
            } else {
                document.append(match.table.records[record])
            }
        }
        return document.finish()
    }

    private func append(
        _ container: BinaryPlistMatch.Container, head: Range<Int>?, to document: inout BinaryPlistDocument
    ) {
        if let head {
            document.append(UnsafeRawBufferPointer(rebasing: match.objects.bytes[head]))
        } else {
            document.append(marker: container.marker, count: count(of: container))
        }
        for child in container.children { document.append(reference: number(of: child)) }
    }

    /// The marker and count of the object that is changed, if they stay the same.
    private func head(of container: Int, changing object: Int) -> Range<Int>? {
        let place = match.objects[object]
        return place.references == match.containers[container].children.count ? place.head : nil
    }

    private func headBytes(of container: BinaryPlistMatch.Container) -> Int {
        BinaryMarker.headBytes(count: count(of: container))
    }

    private func count(of container: BinaryPlistMatch.Container) -> Int {
        container.marker == BinaryMarker.dictionary ? container.children.count / 2 : container.children.count
    }

    private func number(of target: BinaryPlistMatch.Target) -> Int {
        switch match.resolve(target) {
        case .object(let object): numbers[object]
        case .record(let record): addedNumbers[record] ?? 0
        }
    }
}
