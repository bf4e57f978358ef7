import CapsuleCore
import CapsuleFileSystem

/// Records by file.
struct StatCacheTable: Sendable {
    /// Of the files' devices; records number them.
    private(set) var devices: [UInt64]
    private(set) var records: [StatCacheRecord]
    /// One more than a place in ``records``, 0 where free; a power of two.
    private var slots: [UInt32]

    init(devices: [UInt64] = [], records: [StatCacheRecord] = []) {
        self.devices = devices
        self.records = records
        slots = []
        makeSlots(for: records.count)
    }

    /// Makes room for so many records more.
    mutating func reserve(_ count: Int) {
        records.reserveCapacity(records.count + count)
        if 4 * (records.count + count) > 3 * slots.count { makeSlots(for: records.count + count) }
    }

    private mutating func makeSlots(for count: Int) {
        var capacity = 16
        while 4 * count > 3 * capacity { capacity *= 2 }
        slots = [UInt32](repeating: 0, count: capacity)
        for (place, record) in records.enumerated() { slots[slot(of: record)] = UInt32(place + 1) }
    }

    /// A record for this table; nil for a file that it has no room to describe.
    mutating func record(
        _ status: FileStatus, _ digest: ContentDigest, hasAttributes: Bool
    ) -> StatCacheRecord? {
        if !devices.contains(status.device), devices.count < StatCacheRecord.deviceLimit { devices.append(status.device) }
        guard let device = devices.firstIndex(of: status.device) else { return nil }
        return StatCacheRecord(status, device: device, digest: digest, hasAttributes: hasAttributes)
    }

    /// One more than the place of the record of a file in the state that it is in; 0 if there is none.
    func mark(of status: FileStatus) -> UInt32 {
        guard let device = devices.firstIndex(of: status.device),
            let record = StatCacheRecord(status, device: device, digest: .zero, hasAttributes: false)
        else { return 0 }
        let number = slots[slot(of: record)]
        return number != 0 && records[Int(number) - 1].isSameState(as: record) ? number : 0
    }

    /// Whether there is a record of the file, in whatever state.
    func has(_ record: StatCacheRecord) -> Bool { slots[slot(of: record)] != 0 }

    /// Takes in a record, in place of an earlier one of the same file.
    mutating func set(_ record: StatCacheRecord) {
        let slot = slot(of: record)
        if slots[slot] != 0 {
            records[Int(slots[slot]) - 1] = record
            return
        }
        records.append(record)
        if 4 * records.count > 3 * slots.count {
            makeSlots(for: 2 * records.count)
        } else {
            slots[slot] = UInt32(records.count)
        }
    }

    /// Where a file's record is, or would be.
    private func slot(of record: StatCacheRecord) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: record.hash >> 32) & mask
        while slots[slot] != 0, !records[Int(slots[slot]) - 1].isSameFile(as: record) { slot = (slot + 1) & mask }
        return slot
    }
}
