package import CapsuleCore
import CapsuleHashing
package import CapsulePropertyList
package import CapsuleSQLite
import CapsuleSystem

extension Database {
    /// Returns a digest of the schema and of the tables' rows in the order of their keys.
    ///
    /// - Parameter stable: returns what is stable of a text or a real: all of it, or its kind if it differs in every run.
    /// - Throws: for a table that can't be read to the end, and if that takes longer than the limits allow.
    package func contentDigest(
        limits: WorkLimits = WorkLimits(), stable: (PlistValue) -> PlistValue
    ) throws(CapsuleError) -> ContentDigest {
        connection.budget.start(limits)
        var hasher = TableHasher()
        for pragma in ["user_version", "application_id"] {
            hasher.add("p", Array("\(try connection.integer("PRAGMA \(pragma)") ?? 0)".utf8))
        }
        let texts = schema.objects.map { ($0.kind.rawValue, $0.name, $0.sql) }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        for (kind, _, sql) in texts { hasher.add("o", Array(kind.utf8) + sql) }
        for table in schema.tables.sorted() {
            try CapsuleError.checkInterruption()
            hasher.add("t", table.bytes)
            let rows = try connection.prepare(Array("SELECT * FROM ".utf8) + table.quoted)
            for column in 0..<rows.columnCount { hasher.add("c", rows.columnName(column)) }
            while try rows.step() {
                try connection.budget.demand()
                hasher.add("r", [])
                for column in 0..<rows.columnCount { hasher.add(rows.values[column], stable) }
            }
        }
        return hasher.finish()
    }
}

/// Digests names and values, each with its kind and its length, so that neighbors can't be confused.
private struct TableHasher: ~Copyable {
    private var hasher = SHA256Hasher()

    mutating func add(_ kind: Unicode.Scalar, _ bytes: UnsafeRawBufferPointer) {
        withUnsafeBytes(of: kind.value.littleEndian) { hasher.update($0) }
        withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { hasher.update($0) }
        hasher.update(bytes)
    }

    mutating func add(_ kind: Unicode.Scalar, _ bytes: [UInt8]) { bytes.withUnsafeBytes { add(kind, $0) } }

    mutating func add(_ value: RowValue, _ stable: (PlistValue) -> PlistValue) {
        switch value.type {
        case .integer: withUnsafeBytes(of: value.integer.littleEndian) { add("i", $0) }
        case .real:
            let real = PlistValue.real(value.real)
            add(real, stable(real)) { own in withUnsafeBytes(of: value.real.bitPattern.littleEndian) { own.add("f", $0) } }
        case .text:
            guard let text = PlistString(validating: value.text) else { return add("s", value.text) }
            add(.string(text), stable(.string(text))) { $0.add("s", value.text) }
        case .blob:
            let bytes = value.bytes(isWide: false)
            // The name of a file of Core Data is a new UUID in every run. The file is an entry of its own.
            if ExternalReference.name(bytes) == nil { add("b", bytes) } else { add("e", []) }
        default: add("n", [])
        }
    }

    private mutating func add(_ value: PlistValue, _ stable: PlistValue, whole: (inout TableHasher) -> Void) {
        if stable == value { whole(&self) } else { add("k", Array(stable.line().utf8)) }
    }

    consuming func finish() -> ContentDigest { hasher.finish() }
}

/// The prefix of a Core Data blob whose content may be in a file.
enum ExternalReference {
    private static let inline: UInt8 = 1
    private static let file: UInt8 = 2
    private static let nameLength = 36

    /// Returns the name of the file with the content, or nil unless the entire blob is 0x02 and a UUID, with or without a NUL at
    /// the end.
    static func name(_ blob: UnsafeRawBufferPointer) -> String? {
        guard blob.first == file, blob.dropFirst(nameLength + 1).elementsEqual([0]) || blob.count == nameLength + 1 else {
            return nil
        }
        let name = blob[1...nameLength]
        for (place, byte) in name.enumerated() {
            let isHyphen = [8, 13, 18, 23].contains(place)
            guard isHyphen ? byte == UInt8(ascii: "-") : isHexadecimal(byte) else { return nil }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Returns the content of a blob that is stored inline although it could be in a file, or nil for other blobs.
    static func content(_ blob: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        blob.first == inline ? UnsafeRawBufferPointer(rebasing: blob.dropFirst()) : nil
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}
