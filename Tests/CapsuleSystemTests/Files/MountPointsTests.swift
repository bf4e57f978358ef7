import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleSystem

@Suite struct MountPointsTests {
    @Test func tableOfLinux() {
        let table = """
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            23 22 0:21 / /proc rw - proc proc rw
            24 22 0:22 / /srv/a\\040b\\134c rw - tmpfs tmpfs rw
            damaged
            25 22 0:23 / /x\\09 rw
            """
        #expect(
            MountPoints.paths(in: Array(table.utf8)).map { String(decoding: $0, as: UTF8.self) } == [
                "/", "/proc", "/srv/a b\\c", "/x\\09",
            ])
    }

    @Test func nothingIsMountedInADirectoryOfOnesOwn() throws {
        let directory = try TemporaryDirectory()
        #expect(MountPoints.first(below: HostPath(directory.path)) == nil)
    }

    /// Something is mounted in the root of any Linux that has its table of mounts.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/mountinfo"), "no table of mounts"))
    func theSystemsOwnTable() { #expect(MountPoints.first(below: HostPath("")) != nil) }
}
