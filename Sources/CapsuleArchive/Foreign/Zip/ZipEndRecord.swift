import CapsuleCore
import CapsuleFileSystem

/// What ends a zip: where its directory is (APPNOTE.TXT, 4.3.14 to 4.3.16).
struct ZipEndRecord {
    /// Without a comment, in bytes.
    static let length = 22
    private static let signature: [UInt8] = [0x50, 0x4B, 0x05, 0x06]
    private static let wideSignature: [UInt8] = [0x50, 0x4B, 0x06, 0x06]
    private static let locatorSignature: [UInt8] = [0x50, 0x4B, 0x06, 0x07]
    private static let locatorLength = 20
    private static let wideLength = 56

    /// Where the record is.
    let offset: UInt64
    let entries: UInt64
    let directoryOffset: UInt64
    let directoryLength: UInt64

    init(of file: CapsuleFile) throws(ArchiveError) {
        let tailLength = UInt64(Self.length + 0xFFFF)
        let tailOffset = file.length - min(file.length, tailLength)
        let tail = try ArchiveError.wrapping { () throws(FileSystemError) in
            try file.read(at: tailOffset, count: Int(tailLength))
        }
        let places = Self.places(in: tail)
        guard let place = places.first else {
            throw ArchiveError(.damaged, "the archive is cut short: its end record is missing", path: file.path)
        }
        guard places.count == 1 else {
            throw ArchiveError(.damaged, "has two end records, and archivers would disagree on what is in it", path: file.path)
        }
        offset = tailOffset + UInt64(place)
        do {
            let offset = offset
            (entries, directoryOffset, directoryLength) = try tail.withRawBytes { (bytes) throws(any Error) in
                var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[(place + 4)...]))
                return try Self.read(&reader, at: offset, in: file)
            }
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw Self.damaged(file)
        }
    }

    /// Every place where a record, with its comment, ends at the end of the file.
    private static func places(in tail: [UInt8]) -> [Int] {
        guard tail.count >= length else { return [] }
        return (0...tail.count - length).filter { at in
            tail[at] == signature[0] && tail[at..<at + 4].elementsEqual(signature)
                && at + length + Int(tail[at + 20]) + Int(tail[at + 21]) << 8 == tail.count
        }
    }

    private static func read(
        _ reader: inout ByteReader, at offset: UInt64, in file: CapsuleFile
    ) throws -> (entries: UInt64, offset: UInt64, length: UInt64) {
        let disk = try reader.integer(UInt16.self)
        let directoryDisk = try reader.integer(UInt16.self)
        let onDisk = try reader.integer(UInt16.self)
        let count = try reader.integer(UInt16.self)
        let length = try reader.integer(UInt32.self)
        let start = try reader.integer(UInt32.self)
        var result = (entries: UInt64(count), offset: UInt64(start), length: UInt64(length))
        var end = offset
        if let wide = try wideRecord(before: offset, in: file) {
            // What the short record can say, it must say alike.
            guard count == UInt16.max || UInt64(count) == wide.entries, start == UInt32.max || UInt64(start) == wide.offset,
                length == UInt32.max || UInt64(length) == wide.length
            else { throw damaged(file) }
            result = (wide.entries, wide.offset, wide.length)
            end = wide.place
        } else if disk != 0 || directoryDisk != 0 || onDisk != count {
            throw ArchiveError(.unreadable, "is a part of a zip in several files", path: file.path)
        }
        let (directoryEnd, overflow) = result.offset.addingReportingOverflow(result.length)
        guard !overflow, directoryEnd == end else { throw damaged(file) }
        return result
    }

    private static func wideRecord(
        before offset: UInt64, in file: CapsuleFile
    ) throws -> (entries: UInt64, offset: UInt64, length: UInt64, place: UInt64)? {
        guard offset >= UInt64(locatorLength) else { return nil }
        let locator = try file.read(at: offset - UInt64(locatorLength), count: locatorLength)
        guard locator.starts(with: locatorSignature) else { return nil }
        return try locator.withRawBytes { (bytes) throws(any Error) in
            var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[4...]))
            guard try reader.integer(UInt32.self) == 0 else { throw damaged(file) }
            let place = try reader.integer(UInt64.self)
            // The record lies directly before its locator, so that nothing can hide between them.
            guard place <= offset, offset - place == UInt64(locatorLength + wideLength) else { throw damaged(file) }
            let record = try file.read(at: place, count: wideLength)
            guard record.starts(with: wideSignature) else { throw damaged(file) }
            return try record.withRawBytes { (bytes) throws(any Error) in
                var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[24...]))
                let onDisk = try reader.integer(UInt64.self)
                let entries = try reader.integer(UInt64.self)
                let length = try reader.integer(UInt64.self)
                let start = try reader.integer(UInt64.self)
                guard onDisk == entries else { throw damaged(file) }
                return (entries, start, length, place)
            }
        }
    }

    private static func damaged(_ file: CapsuleFile) -> ArchiveError {
        ArchiveError(.damaged, "the zip's end record is damaged", path: file.path)
    }
}
