import CapsuleCore
import CapsuleFileSystem

/// A large file that several threads write.
final class LargeOutput: Sendable {
    let item: UnpackPlan.Item
    let file: NewFile
    let digest = OrderedDigest()

    init(item: UnpackPlan.Item, file: NewFile) {
        self.item = item
        self.file = file
    }
}
