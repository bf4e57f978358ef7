/// Writes canonical binary property lists (`bplist00`): one spelling for each value, the same bytes everywhere.
///
/// Objects come in CoreFoundation's order: a container, a dictionary's keys, and then what it holds. Equal values are one
/// object that is referred to wherever they are, containers too, so that what a document shares stays shared and a value's
/// bytes do not depend on where it was read from. Numbers, counts, references and offsets are as narrow as CoreFoundation
/// makes them. (CoreFoundation CFBinaryPList.c)
public enum BinaryPlistWriter {
    /// The document, in time linear in the value's distinct objects.
    ///
    /// Keys are in the dictionaries' order, or with `sortsKeys` in the order of their UTF-8 bytes: equal values then have
    /// equal bytes, which is what a value digest is taken of. Throws `notRepresentable` for null, and `limitExceeded`, with
    /// the pointer to the value.
    public static func write(
        _ value: PlistValue, limits: PlistLimits = .standard, sortsKeys: Bool = false
    ) throws(PlistError) -> [UInt8] {
        var table = BinaryObjectTable(limits: limits, sortsKeys: sortsKeys)
        let root = try table.insert(value)
        return try write(root, of: table.records, limits: limits)
    }

    private static func write(
        _ root: Int, of records: borrowing BinaryRecordTable, limits: PlistLimits
    ) throws(PlistError) -> [UInt8] {
        let (order, numbers) = number(from: root, in: records)
        var bytes = 0
        var references = 0
        for record in order {
            let children = records.childCount(record)
            references += children
            guard let marker = records.containerMarker(record) else {
                bytes += records[record].count
                continue
            }
            bytes += BinaryMarker.headBytes(count: marker == BinaryMarker.dictionary ? children / 2 : children)
        }
        let layout = try BinaryPlistLayout(
            objects: order.count, bytes: bytes, references: references, root: 0, limits: limits)
        var document = BinaryPlistDocument(layout)
        for record in order {
            document.beginObject()
            guard let marker = records.containerMarker(record) else {
                document.append(records[record])
                continue
            }
            let children = records.childCount(record)
            document.append(marker: marker, count: marker == BinaryMarker.dictionary ? children / 2 : children)
            for position in 0..<children { document.append(reference: numbers[records.child(position, of: record)]) }
        }
        return document.finish()
    }

    /// The records in the order in which their objects are written, and each one's place in it.
    private static func number(
        from root: Int, in records: borrowing BinaryRecordTable
    ) -> (order: [Int], numbers: [Int]) {
        var order = [root]
        var numbers = [Int](repeating: -1, count: records.count)
        numbers[root] = 0
        var open: [(record: Int, next: Int)] = [(root, 0)]
        while let (record, next) = open.popLast() {
            let count = records.childCount(record)
            var position = next
            while position < count {
                let child = records.child(position, of: record)
                position += 1
                guard numbers[child] < 0 else { continue }
                numbers[child] = order.count
                order.append(child)
                guard records.containerMarker(child) != nil else { continue }
                // What is in the child comes before its siblings.
                open.append((record, position))
                open.append((child, 0))
                break
            }
        }
        return (order, numbers)
    }
}
