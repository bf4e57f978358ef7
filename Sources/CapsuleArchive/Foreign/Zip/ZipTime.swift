import CapsuleCore
import CapsulePropertyList

/// Moments as zips have them.
struct ZipTime {
    /// Seconds since 1970, where 32 bits hold them (Info-ZIP's extra field 0x5455).
    let unix: Int32?
    /// Two-second steps, then minutes and hours (APPNOTE.TXT, 4.4.6).
    let dosTime: UInt16
    /// Days, months and years since 1980. DOS has no time zone: it is UTC, so that the same tree gives the same bytes.
    let dosDate: UInt16

    init(_ time: Timestamp) {
        unix = Int32(exactly: time.seconds)
        let date = CivilTime(secondsSince1970: Int(time.seconds))
        if date.year < 1980 {
            (dosTime, dosDate) = (0, 1 << 5 | 1)
        } else if date.year > 2107 {
            (dosTime, dosDate) = (23 << 11 | 59 << 5 | 29, 127 << 9 | 12 << 5 | 31)
        } else {
            dosTime = UInt16(date.hour << 11 | date.minute << 5 | date.second / 2)
            dosDate = UInt16((date.year - 1980) << 9 | date.month << 5 | date.day)
        }
    }
}
