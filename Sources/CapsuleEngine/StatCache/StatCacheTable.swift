import CapsuleCore
import CapsuleFileSystem

/// Records by file.
struct StatCacheTable: Sendable {
    /// The devices that files are on; records number them.
    struct Devices: Sendable {
        private(set) var identifiers: [UInt64] = []

        /// The number of a device, which gets one if it has none; nil if there are too many.
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
    /// One more than a place in ``records``, with the record's tag in the upper eight bits; 0 where free. A power of two.
    private var slots: [UInt32]
    /// Places take 24 bits: more than the entries of any container.
    private static let placeMask: UInt32 = (1 << 24) - 1

    init(devices: Devices = Devices(), records: [StatCacheRecord] = []) {
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
        for (place, record) in records.enumerated() { slots[slot(of: record)] = Self.number(of: record, at: place) }
    }

    /// One more than the place of the record of a file in the state that it is in; 0 if there is none.
    func mark(of status: FileStatus) -> UInt32 {
        guard let device = devices.identifiers.firstIndex(of: status.device),
            let record = StatCacheRecord(status, device: device, digest: .zero, hasAttributes: false)
        else { return 0 }
        let number = slots[slot(of: record)] & Self.placeMask
        return number != 0 && records[Int(number) - 1].isSameState(as: record) ? number : 0
    }

    /// Takes in a record, in place of an earlier one of the same file.
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

    /// Where a file's record is, or would be.
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
