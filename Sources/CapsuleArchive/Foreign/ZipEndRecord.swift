import CapsuleCore
import CapsuleSystem

/// The end record of a zip, which locates its directory (APPNOTE.TXT, 4.3.14 to 4.3.16).
struct ZipEndRecord {
    static let length = 22
    private static let signature: [UInt8] = [0x50, 0x4B, 0x05, 0x06]
    private static let wideSignature: [UInt8] = [0x50, 0x4B, 0x06, 0x06]
    private static let locatorSignature: [UInt8] = [0x50, 0x4B, 0x06, 0x07]
    private static let locatorLength = 20
    private static let wideLength = 56
    let offset: UInt64
    let entries: UInt64
    /// The offset in the file that all offsets in the zip are relative to. It is not 0 if bytes were put before the zip.
    let start: UInt64
    let directoryOffset: UInt64
    let directoryLength: UInt64

    init(of file: CapsuleFile) throws(CapsuleError) {
        let tailLength = UInt64(Self.length + 0xFFFF)
        let tailOffset = file.length - min(file.length, tailLength)
        let tail = try file.read(at: tailOffset, count: Int(tailLength))
        let places = Self.places(in: tail)
        // A comment that reaches to the end of the file may contain the signature.
        guard let place = places.first(where: { Self.end(of: $0, in: tail) == tail.count }) ?? places.last else {
            throw CapsuleError(
                .damaged, "the archive is truncated, or more than 64 KiB follow it: its end record is missing", path: file.path)
        }
        // An earlier record can be that of a zip in the zip.
        guard Self.end(of: place, in: tail) <= tail.count else { throw Self.damaged(file, "or its comment is truncated") }
        // If the comment contains an entire record, some readers use that record and others the first one.
        guard !places.contains(where: { $0 > place && Self.end(of: $0, in: tail) <= tail.count }) else {
            throw CapsuleError(.damaged, "has two end records, so its content is ambiguous", path: file.path)
        }
        offset = tailOffset + UInt64(place)
        do {
            let offset = offset
            (entries, start, directoryOffset, directoryLength) = try tail.withRawBytes { (bytes) throws(any Error) in
                var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[(place + 4)...]))
                return try Self.read(&reader, at: offset, in: file)
            }
        } catch let error as CapsuleError {
            throw error
        } catch {
            throw Self.damaged(file, "is truncated")
        }
    }

    static func isThere(in file: CapsuleFile) throws(CapsuleError) -> Bool {
        let count = Self.length + 0xFFFF
        let tail = try file.read(at: file.length - min(file.length, UInt64(count)), count: count)
        return !places(in: tail).isEmpty
    }

    private static func places(in tail: [UInt8]) -> [Int] {
        tail.indices.dropLast(signature.count - 1).filter { at in
            tail[at] == signature[0] && tail[at..<at + signature.count].elementsEqual(signature)
        }
    }

    /// Returns the position after a record and its comment, which is beyond the tail if they are truncated.
    private static func end(of place: Int, in tail: [UInt8]) -> Int {
        let end = place + length
        return end > tail.count ? end : end + Int(tail[place + 20]) + Int(tail[place + 21]) << 8
    }

    private static func read(
        _ reader: inout ByteReader, at offset: UInt64, in file: CapsuleFile
    ) throws -> (entries: UInt64, start: UInt64, offset: UInt64, length: UInt64) {
        let disk = try reader.integer(UInt16.self)
        let directoryDisk = try reader.integer(UInt16.self)
        let onDisk = try reader.integer(UInt16.self)
        let count = try reader.integer(UInt16.self)
        let length = try reader.integer(UInt32.self)
        let place = try reader.integer(UInt32.self)
        var result = (entries: UInt64(count), offset: UInt64(place), length: UInt64(length))
        var end = offset
        var wideOffset: UInt64?
        let isNeeded = count == UInt16.max || place == UInt32.max || length == UInt32.max
        if let wide = try wideRecord(before: offset, isNeeded: isNeeded, in: file) {
            // The 64-bit record must confirm every number that the short record can hold.
            guard count == UInt16.max || UInt64(count) == wide.entries, place == UInt32.max || UInt64(place) == wide.offset,
                length == UInt32.max || UInt64(length) == wide.length
            else { throw damaged(file, "and its 64-bit form don't match") }
            result = (wide.entries, wide.offset, wide.length)
            end = wide.place
            wideOffset = wide.statedPlace
        } else if disk != 0 || directoryDisk != 0 || onDisk != count {
            throw CapsuleError(.unreadable, "is part of a zip split into several files", path: file.path)
        }
        // The directory ends directly before the record. If it lies further back than its offset says, other bytes precede the zip.
        guard result.length <= end, end - result.length >= result.offset else {
            throw damaged(file, "gives a directory that extends beyond it")
        }
        let start = end - result.length - result.offset
        // libarchive and Go use the locator's offset, Python uses the place where the record must be.
        guard wideOffset.map({ $0 == end - start }) ?? true else {
            throw damaged(file, "is not at the place given by its locator")
        }
        return (result.entries, start, end - result.length, result.length)
    }

    private static func wideRecord(
        before offset: UInt64, isNeeded: Bool, in file: CapsuleFile
    ) throws -> (entries: UInt64, offset: UInt64, length: UInt64, place: UInt64, statedPlace: UInt64)? {
        guard offset >= UInt64(locatorLength) else { return nil }
        let locator = try file.read(at: offset - UInt64(locatorLength), count: locatorLength)
        guard locator.starts(with: locatorSignature) else { return nil }
        return try locator.withRawBytes { (bytes) throws(any Error) in
            var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[4...]))
            let disk = try reader.integer(UInt32.self)
            let statedPlace = try reader.integer(UInt64.self)
            guard disk == 0, try reader.integer(UInt32.self) <= 1 else {
                // It can be the name or comment of the last entry, which libarchive and unzip don't take for a locator either.
                guard isNeeded else { return nil }
                throw CapsuleError(.unreadable, "is part of a zip split into several files", path: file.path)
            }
            // The record must lie directly before its locator, so that nothing can be hidden between them.
            let before = UInt64(locatorLength + wideLength)
            guard offset >= before else { throw damaged(file, "is not at the place given by its locator") }
            let place = offset - before
            let record = try file.read(at: place, count: wideLength)
            guard record.starts(with: wideSignature) else { throw damaged(file, "is not at the place given by its locator") }
            return try record.withRawBytes { (bytes) throws(any Error) in
                var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[24...]))
                let onDisk = try reader.integer(UInt64.self)
                let entries = try reader.integer(UInt64.self)
                let length = try reader.integer(UInt64.self)
                let start = try reader.integer(UInt64.self)
                guard onDisk == entries else {
                    throw CapsuleError(.unreadable, "is part of a zip split into several files", path: file.path)
                }
                return (entries, start, length, place, statedPlace)
            }
        }
    }

    private static func damaged(_ file: CapsuleFile, _ problem: String) -> CapsuleError {
        CapsuleError(.damaged, "the zip's end record \(problem)", path: file.path)
    }
}
