import CapsuleArchive
import CapsuleCore

enum ArchivedContainer {
    static func open(_ file: CapsuleFile, name: [UInt8]) throws(CapsuleError) -> OpenedContainer {
        throw CapsuleError("foreign")
    }
}
