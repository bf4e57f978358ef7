import CapsuleCore
import CapsuleHashing
import CapsuleSystem

/// The file form of a table: a header of 64 bytes, the SHA-256 of header and records, and the records as they are in memory.
/// Header: magic 8 · version u32 · byte order u32 · records u64 · devices u64 · 4 × device u64, all in this machine's byte order.
/// A file with any error is not a table.
enum StatCacheFile {
    private static let magic = Array("CAPSTAT\0".utf8)
    private static let version: UInt32 = 1
    private static let byteOrder: UInt32 = 0x0102_0304
    private static let headerLength = 64
    private static let start = headerLength + ContentDigest.byteCount
    private static let recordLength = MemoryLayout<StatCacheRecord>.stride
    /// The largest number of records in a table: 128 MiB.
    static let recordLimit = 2 << 20

    static func read(_ file: PrivateDirectory.File) -> StatCacheTable? {
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
        return isWhole ? StatCacheTable(devices: StatCacheTable.Devices(devices), records: records) : nil
    }

    static func write(
        _ table: StatCacheTable, _ body: ([UnsafeRawBufferPointer]) throws(CapsuleError) -> Void
    ) throws(CapsuleError) {
        let head = UnsafeMutableRawBufferPointer.allocate(byteCount: start, alignment: 8)
        defer { head.deallocate() }
        head.initializeMemory(as: UInt8.self, repeating: 0)
        head.copyBytes(from: magic)
        head.storeBytes(of: version, toByteOffset: 8, as: UInt32.self)
        head.storeBytes(of: byteOrder, toByteOffset: 12, as: UInt32.self)
        head.storeBytes(of: UInt64(table.records.count), toByteOffset: 16, as: UInt64.self)
        head.storeBytes(of: UInt64(table.devices.identifiers.count), toByteOffset: 24, as: UInt64.self)
        for (number, device) in table.devices.identifiers.enumerated() {
            head.storeBytes(of: device, toByteOffset: 32 + 8 * number, as: UInt64.self)
        }
        let written: Result<Void, CapsuleError> = table.records.withUnsafeBytes { records in
            digest(UnsafeRawBufferPointer(rebasing: head[..<headerLength]), records).withBytes {
                UnsafeMutableRawBufferPointer(rebasing: head[headerLength...]).copyMemory(from: $0)
            }
            return Result { () throws(CapsuleError) in try body([UnsafeRawBufferPointer(head), records]) }
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

/// A table of records, which are found by their files.
struct StatCacheTable: Sendable {
    /// The devices that files are on. Records refer to them by number.
    struct Devices: Sendable {
        private(set) var identifiers: [UInt64] = []

        mutating func number(of identifier: UInt64) -> Int? {
            if let number = identifiers.firstIndex(of: identifier) { return number }
            guard identifiers.count < StatCacheRecord.deviceLimit else { return nil }
            identifiers.append(identifier)
            return identifiers.count - 1
        }

        init(_ identifiers: [UInt64] = []) { self.identifiers = identifiers }
    }

    let devices: Devices
    private(set) var records: [StatCacheRecord]
    /// The slots of the hash table. Each has a position in ``records`` plus one, with the record's tag in the upper eight bits; 0
    /// if it is free. The number of slots is a power of two.
    private var slots: [UInt32]
    /// The mask of a position, which has 24 bits: enough for more than the entries of any container.
    private static let placeMask: UInt32 = (1 << 24) - 1

    init(devices: Devices = Devices(), records: [StatCacheRecord] = []) {
        self.devices = devices
        self.records = records
        slots = []
        makeSlots(for: records.count)
    }

    mutating func reserve(_ count: Int) {
        records.reserveCapacity(records.count + count)
        if 4 * (records.count + count) > 3 * slots.count { makeSlots(for: records.count + count) }
    }

    private mutating func makeSlots(for count: Int) {
        var capacity = 16
        while 4 * count > 3 * capacity { capacity *= 2 }
        slots = [UInt32](repeating: 0, count: capacity)
        for (place, record) in records.enumerated() { slots[slot(of: record)] = Self.number(of: record, at: place) }
    }

    /// Returns the position plus one of the record for a file in its present state; 0 if there is none.
    func mark(of status: FileStatus) -> UInt32 {
        guard let device = devices.identifiers.firstIndex(of: status.device),
            let record = StatCacheRecord(status, device: device, digest: .zero, hasAttributes: false)
        else { return 0 }
        let number = slots[slot(of: record)] & Self.placeMask
        return number != 0 && records[Int(number) - 1].isSameState(as: record) ? number : 0
    }

    /// Adds a record, or replaces an earlier record of the same file.
    mutating func set(_ record: StatCacheRecord) {
        let slot = slot(of: record)
        if slots[slot] != 0 {
            records[Int(slots[slot] & Self.placeMask) - 1] = record
            return
        }
        guard records.count < Int(Self.placeMask) else { return }
        records.append(record)
        if 4 * records.count > 3 * slots.count {
            makeSlots(for: 2 * records.count)
        } else {
            slots[slot] = Self.number(of: record, at: records.count - 1)
        }
    }

    private static func number(of record: StatCacheRecord, at place: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: place + 1) & placeMask | record.tag << 24
    }

    private func slot(of record: StatCacheRecord) -> Int {
        let mask = slots.count - 1
        let tag = record.tag
        var slot = Int(truncatingIfNeeded: record.hash) & mask
        while slots[slot] != 0 {
            let number = slots[slot]
            if number >> 24 == tag, records[Int(number & Self.placeMask) - 1].isSameFile(as: record) { break }
            slot = (slot + 1) & mask
        }
        return slot
    }
}

/// The status of a file (stat(2)) when it was read, and the digest of its content: 64 bytes, both in memory and in the cache's
/// file. Any bits are a valid record, so the bytes of a cache's file are used as they are.
struct StatCacheRecord: Equatable, Sendable {
    private let inode: UInt64
    /// The size. Its upper bits have a flag for attributes (bit 63) and the device's number in the table (bits 61 and 62).
    private let sizeAndMore: UInt64
    /// The modification time, in nanoseconds since 1970.
    private let modified: Int64
    private let changed: Int64
    let digest: ContentDigest

    static let deviceLimit = 4
    private static let attributeBit: UInt64 = 1 << 63
    private static let deviceShift: UInt64 = 61
    private static let sizeLimit: UInt64 = 1 << 61

    /// - Parameter device: the number of the file's device in the table.
    /// - Returns: nil for a size or times that a record can't hold.
    init?(_ status: FileStatus, device: Int, digest: ContentDigest, hasAttributes: Bool) {
        guard status.size < Self.sizeLimit, device < Self.deviceLimit, let modified = Self.nanoseconds(status.modified),
            let changed = Self.nanoseconds(status.changed)
        else { return nil }
        inode = status.inode
        sizeAndMore = status.size | UInt64(device) << Self.deviceShift | (hasAttributes ? Self.attributeBit : 0)
        self.modified = modified
        self.changed = changed
        self.digest = digest
    }

    /// Returns a time in nanoseconds since 1970; nil for times that are hundreds of years away.
    static func nanoseconds(_ time: Timestamp) -> Int64? {
        let (seconds, overflow) = time.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowToo) = seconds.addingReportingOverflow(Int64(time.nanoseconds))
        return overflow || overflowToo ? nil : sum
    }

    var hasAttributes: Bool { sizeAndMore & Self.attributeBit != 0 }

    /// Returns true if both records are of the same file, in whatever state.
    func isSameFile(as other: StatCacheRecord) -> Bool {
        inode == other.inode && (sizeAndMore ^ other.sizeAndMore) & ~Self.attributeBit < Self.sizeLimit
    }

    func isSameState(as other: StatCacheRecord) -> Bool {
        inode == other.inode && (sizeAndMore ^ other.sizeAndMore) & ~Self.attributeBit == 0 && modified == other.modified
            && changed == other.changed
    }

    /// Returns true if the file's times say that its content or its metadata changed after a moment.
    func isLater(than moment: Int64) -> Bool { max(modified, changed) > moment }

    /// The hash by which a file is found in a table. The files of one directory mostly have close inode numbers and are looked up
    /// one after another. The slots of sixteen consecutive numbers are in one line of the processor's cache.
    var hash: UInt64 {
        let group = ((inode >> 4) ^ ((sizeAndMore >> Self.deviceShift) & 3) << 58) &* 0x9E37_79B9_7F4A_7C15
        return (group >> 32) << 4 | inode & 15
    }

    /// Eight bits that distinguish most files without reading their records.
    var tag: UInt32 { UInt32(truncatingIfNeeded: (inode &* 0xC2B2_AE3D_27D4_EB4F) >> 56) }
}
