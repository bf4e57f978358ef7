import CapsuleCore
import CapsuleFileSystem
import CapsuleHashing

/// A table as a file: a header of 64 bytes, the SHA-256 of header and records, and the records as they are in memory.
///
/// Header: magic 8 · version u32 · byte order u32 · records u64 · devices u64 · 4 × device u64, all as this machine has them.
/// What is wrong in any way is no table.
enum StatCacheFile {
    private static let magic = Array("CAPSTAT\0".utf8)
    private static let version: UInt32 = 1
    private static let byteOrder: UInt32 = 0x0102_0304
    private static let headerLength = 64
    private static let start = headerLength + ContentDigest.byteCount
    private static let recordLength = MemoryLayout<StatCacheRecord>.stride
    /// No longer table is kept: 128 MiB.
    static let recordLimit = 2 << 20

    static func read(_ file: borrowing PrivateDirectory.File) -> StatCacheTable? {
        guard file.size >= UInt64(start), file.size <= UInt64(start + recordLimit * recordLength) else { return nil }
        let count = (Int(file.size) - start) / recordLength
        let head = UnsafeMutableRawBufferPointer.allocate(byteCount: start, alignment: 8)
        defer { head.deallocate() }
        guard file.read(at: 0, into: head) else { return nil }
        let header = UnsafeRawBufferPointer(rebasing: head[..<headerLength])
        guard header.starts(with: magic), header.load(fromByteOffset: 8, as: UInt32.self) == version,
            header.load(fromByteOffset: 12, as: UInt32.self) == byteOrder,
            header.load(fromByteOffset: 16, as: UInt64.self) == UInt64(count),
            UInt64(start + count * recordLength) == file.size
        else { return nil }
        let deviceCount = header.load(fromByteOffset: 24, as: UInt64.self)
        guard deviceCount <= UInt64(StatCacheRecord.deviceLimit) else { return nil }
        let devices = (0..<Int(deviceCount)).map { header.load(fromByteOffset: 32 + 8 * $0, as: UInt64.self) }
        var isWhole = false
        let records = [StatCacheRecord](unsafeUninitializedCapacity: count) { room, filled in
            let bytes = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[..<(count * recordLength)])
            guard file.read(at: UInt64(start), into: bytes) else { return }
            filled = count
            let stored = ContentDigest(UnsafeRawBufferPointer(rebasing: head[headerLength...]))
            isWhole = stored == digest(header, UnsafeRawBufferPointer(bytes))
        }
        return isWhole ? StatCacheTable(devices: devices, records: records) : nil
    }

    /// Calls `body` with what makes up the file.
    static func write(
        _ table: StatCacheTable, _ body: ([UnsafeRawBufferPointer]) throws(FileSystemError) -> Void
    ) throws(FileSystemError) {
        let head = UnsafeMutableRawBufferPointer.allocate(byteCount: start, alignment: 8)
        defer { head.deallocate() }
        head.initializeMemory(as: UInt8.self, repeating: 0)
        head.copyBytes(from: magic)
        head.storeBytes(of: version, toByteOffset: 8, as: UInt32.self)
        head.storeBytes(of: byteOrder, toByteOffset: 12, as: UInt32.self)
        head.storeBytes(of: UInt64(table.records.count), toByteOffset: 16, as: UInt64.self)
        head.storeBytes(of: UInt64(table.devices.count), toByteOffset: 24, as: UInt64.self)
        for (number, device) in table.devices.enumerated() {
            head.storeBytes(of: device, toByteOffset: 32 + 8 * number, as: UInt64.self)
        }
        let written: Result<Void, FileSystemError> = table.records.withUnsafeBytes { records in
            digest(UnsafeRawBufferPointer(rebasing: head[..<headerLength]), records).withBytes {
                UnsafeMutableRawBufferPointer(rebasing: head[headerLength...]).copyMemory(from: $0)
            }
            return Result { () throws(FileSystemError) in try body([UnsafeRawBufferPointer(head), records]) }
        }
        try written.get()
    }

    private static func digest(_ header: UnsafeRawBufferPointer, _ records: UnsafeRawBufferPointer) -> ContentDigest {
        var hasher = SHA256Hasher()
        hasher.update(header)
        hasher.update(records)
        return hasher.finish()
    }
}
