import AppleCalls
import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import CapsuleSystem

/// The calls of `apple.h` to Apple's kernel. On Linux, `Tests/AppleCalls/xnu.h` replaces the kernel. On a Mac, it is the real one.
@Suite struct AppleCallsTests {
    /// A directory with `file`, `sub/file`, `link` to the first and `way` to `sub`. It is open while the value exists.
    private final class Tree: Sendable {
        private let owner: TemporaryDirectory
        let path: String
        let directory: Int32

        init() throws {
            owner = try TemporaryDirectory()
            path = owner["tree"]
            let tree: TreeLiteral = [
                "file": .file("content"), "sub/file": .file("below"), "link": .link("file"), "way": .link("sub"),
            ]
            try tree.make(at: path)
            directory = open(path, O_RDONLY | O_DIRECTORY)
            if directory < 0 { throw SupportError("cannot open \(path)") }
        }

        deinit { close(directory) }
    }

    /// Returns the errno of a call that returned −1; 0 for a call that succeeded.
    private static func errorNumber(_ result: some FixedWidthInteger) -> Int32 { result == -1 ? errno : 0 }

    private static func openBeneath(_ directory: Int32, _ path: String, _ flags: Int32) -> Int32 {
        let descriptor = apple_open_beneath(directory, path, flags, 0, 0)
        let number = errorNumber(descriptor)
        if descriptor >= 0 { close(descriptor) }
        return number
    }

    // MARK: openat

    /// xnu, bsd/vfs/vfs_vnops.c, vn_open_auth: this was the reason why no directory could be read on a Mac.
    @Test(arguments: [O_NOFOLLOW, Int32(APPLE_O_SYMLINK)])
    func aSecondFlagAboutLinksIsRefused(flag: Int32) throws {
        let tree = try Tree()
        let any = Int32(APPLE_O_NOFOLLOW_ANY)
        #expect(Self.errorNumber(xnu_open(tree.directory, "file", O_RDONLY | any | flag)) == EINVAL)
        let descriptor = xnu_open(tree.directory, "file", O_RDONLY | any)
        #expect(descriptor >= 0)
        close(descriptor)
    }

    /// The flags that RootDirectory passes for files and for directories.
    @Test(arguments: [O_RDONLY | O_NOFOLLOW | O_NONBLOCK, O_RDONLY | O_NOFOLLOW, O_RDONLY | O_CLOEXEC])
    func whatIsBelowIsOpened(flags: Int32) throws {
        let tree = try Tree()
        #expect(Self.openBeneath(tree.directory, "file", flags) == 0)
        #expect(Self.openBeneath(tree.directory, "sub/file", flags) == 0)
        #expect(Self.openBeneath(tree.directory, "sub", flags | O_DIRECTORY) == 0)
        #expect(Self.openBeneath(tree.directory, "none", flags) == ENOENT)
        #expect(Self.openBeneath(tree.directory, "file", flags | O_DIRECTORY) == ENOTDIR)
    }

    @Test(arguments: ["link", "way", "way/file"])
    func noLinkIsFollowed(path: String) throws {
        let tree = try Tree()
        for flags in [O_RDONLY | O_NOFOLLOW, O_RDONLY] { #expect(Self.openBeneath(tree.directory, path, flags) == ELOOP) }
    }

    // MARK: Counts

    /// xnu, bsd/kern/sys_generic.c: a count above INT_MAX gives EINVAL, so such a count is never passed.
    @Test func noCountIsTooLarge() throws {
        let tree = try Tree()
        let file = open(tree.path + "/file", O_RDWR)
        defer { close(file) }
        // Untouched pages take no memory.
        let count = Int(Int32.max) + 1
        let pages = try #require(mmap(nil, count, PROT_READ | PROT_WRITE, Self.anonymous, -1, 0))
        try #require(pages != MAP_FAILED)
        defer { munmap(pages, count) }
        #expect(Self.errorNumber(xnu_read(file, pages, count)) == EINVAL)
        #expect(apple_pread(file, pages, count, 0) == 7)
        #expect(apple_read(file, pages, count) == 7)
        #expect(apple_pwrite(file, pages, 7, 0) == 7)
        #expect(apple_write(file, pages, 3) == 3)
        #if os(Linux)
        // A Mac would write a gibibyte.
        #expect(apple_pwrite(file, pages, count, 0) > 0)
        #expect(apple_write(file, pages, count) > 0)
        #endif
    }

    #if os(Linux)
    private static let anonymous = Int32(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
    #else
    private static let anonymous = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
    #endif

    // MARK: Rename

    @Test func anExclusiveRenameNeverReplaces() throws {
        let tree = try Tree()
        #expect(Self.errorNumber(apple_rename_exclusive(tree.directory, "file", tree.directory, "sub")) == EEXIST)
        #expect(apple_rename_exclusive(tree.directory, "file", tree.directory, "new") == 0)
        #expect(try Files.read(tree.path + "/new") == Array("content".utf8))
    }

    @Test func twoNamesChangePlaces() throws {
        let tree = try Tree()
        #expect(apple_rename_swap(tree.directory, "file", tree.directory, "sub/file") == 0)
        #expect(try Files.read(tree.path + "/file") == Array("below".utf8))
        #expect(try Files.read(tree.path + "/sub/file") == Array("content".utf8))
    }

    // MARK: Holes

    /// coreutils/coreutils#68: the system is not asked, because it may report fresh data as a hole.
    @Test func holesAreNotBelieved() throws {
        let tree = try Tree()
        let file = open(tree.path + "/file", O_RDONLY)
        defer { close(file) }
        #expect(apple_next_data(file, 0) == -1)
        // ENXIO would mean that only a hole follows.
        #expect(errno == ENOTSUP)
    }

    // MARK: Attributes

    /// xnu, bsd/vfs/vfs_xattr.c: the prefix "user." has no meaning there, but it has one on Linux.
    @Test func attributesAreSetAndRemoved() throws {
        let tree = try Tree()
        let file = open(tree.path + "/file", O_RDWR)
        defer { close(file) }
        let name = "user.capsule.test"
        let value: [UInt8] = [1, 0, 2]
        try #require(apple_set_attribute(file, name, value, value.count) == 0)
        var buffer = [UInt8](repeating: 0, count: 64)
        #expect(apple_get_attribute(file, name, &buffer, buffer.count) == 3)
        #expect(Array(buffer.prefix(3)) == value)
        var names = [CChar](repeating: 0, count: 1_024)
        let length = apple_list_attributes(file, &names, names.count)
        #expect(length >= name.utf8.count + 1)
        let listed = names.prefix(max(0, length)).split(separator: 0).map {
            String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        #expect(listed.contains(name))
        #expect(apple_remove_attribute(file, name) == 0)
        #expect(Self.errorNumber(apple_get_attribute(file, name, &buffer, buffer.count)) == apple_no_attribute())
        #expect(Self.errorNumber(apple_remove_attribute(file, name)) == apple_no_attribute())
        #expect(apple_no_attribute() == Int32(APPLE_ENOATTR))
        #expect(apple_set_attribute(file, name, nil, 0) == 0)
        #expect(apple_get_attribute(file, name, nil, 0) == 0)
    }

    // MARK: Sync

    @Test func syncsAreMade() throws {
        let tree = try Tree()
        let file = open(tree.path + "/file", O_RDONLY)
        defer { close(file) }
        #expect(apple_sync(file) == 0)
        #expect(apple_sync(tree.directory) == 0)
        #expect(apple_sync_file_system(tree.directory) == 0)
    }

    #if os(Linux)
    /// On macOS, fsync(2) leaves data in the drive's cache, so it does not replace F_FULLFSYNC where that works.
    @Test func aSyncGoesThroughTheDrive() throws {
        let tree = try Tree()
        apple_forget()
        #expect(apple_sync(tree.directory) == 0)
        #expect(apple_seen().full_syncs == 1)
        #expect(apple_seen().plain_syncs == 0)
    }

    /// Network file systems only support fsync(2).
    @Test(arguments: [ENOTSUP, ENOTTY, EINVAL])
    func aPlainSyncStandsIn(number: Int32) throws {
        let tree = try Tree()
        apple_forget()
        apple_fail(APPLE_FULL_SYNC, number)
        defer { apple_fail(APPLE_FULL_SYNC, 0) }
        #expect(apple_sync(tree.directory) == 0)
        #expect(apple_seen().plain_syncs == 1)
    }

    /// A disk error is an error: fsync(2) may succeed after it, although the data is lost.
    @Test(arguments: [EIO, ENOSPC, EINTR])
    func aFailedSyncIsNotTriedAnotherWay(number: Int32) throws {
        let tree = try Tree()
        apple_forget()
        apple_fail(APPLE_FULL_SYNC, number)
        defer { apple_fail(APPLE_FULL_SYNC, 0) }
        #expect(Self.errorNumber(apple_sync(tree.directory)) == number)
        #expect(apple_seen().plain_syncs == 0)
    }

    /// Lists that the system creates only deny, and allow nothing.
    @Test(arguments: [
        (nil, 0), ("", 0), ("everyone:deny delete", 0), ("user:allow write", 1), ("everyone:deny delete,user:allow write", 1),
    ])
    func aListThatAllowsAnythingGrants(list: String?, grants: Int32) throws {
        let tree = try Tree()
        if let list { #expect(xnu_put_list(tree.directory, list) == 0) }
        #expect(apple_list_lets_others_write(tree.directory) == grants)
    }

    /// Libc, gen/sync_volume_np.c: FULLSYNC | WAIT, because sync(2) returns before anything is written.
    @Test func aVolumeIsSyncedAndWaitedFor() throws {
        let tree = try Tree()
        apple_forget()
        #expect(apple_sync_file_system(tree.directory) == 0)
        #expect(apple_seen().volume_flags == 3)
        #expect(apple_seen().all_syncs == 0)
    }

    /// The same source: the error is returned, and errno keeps an older value.
    @Test(arguments: [EIO, EPERM])
    func aVolumesErrorIsReported(number: Int32) throws {
        let tree = try Tree()
        apple_fail(APPLE_SYNC_VOLUME, number)
        defer { apple_fail(APPLE_SYNC_VOLUME, 0) }
        errno = ENOENT
        #expect(Self.errorNumber(apple_sync_file_system(tree.directory)) == number)
    }

    @Test func aVolumeThatCannotIsSyncedWithAllOthers() throws {
        let tree = try Tree()
        apple_forget()
        apple_fail(APPLE_SYNC_VOLUME, ENOTSUP)
        defer { apple_fail(APPLE_SYNC_VOLUME, 0) }
        #expect(apple_sync_file_system(tree.directory) == 0)
        #expect(apple_seen().all_syncs == 1)
    }

    /// HFS+ and exFAT return ENOTSUP, for which `Rename` uses another way. APFS returns EILSEQ for a name that is not UTF-8.
    @Test func aRenameThatCannotBeMadeSaysWhy() throws {
        let tree = try Tree()
        #expect(Self.errorNumber(apple_rename_exclusive(tree.directory, "file", tree.directory, "caf\u{e9}")) == 0)
        let raw: [CChar] = [0x63, CChar(bitPattern: 0xFF), 0]
        #expect(Self.errorNumber(apple_rename_exclusive(tree.directory, "sub", tree.directory, raw)) == EILSEQ)
        apple_fail(APPLE_RENAME, ENOTSUP)
        defer { apple_fail(APPLE_RENAME, 0) }
        #expect(Self.errorNumber(apple_rename_swap(tree.directory, "link", tree.directory, "way")) == ENOTSUP)
        #expect(Self.errorNumber(apple_rename_exclusive(tree.directory, "link", tree.directory, "new")) == ENOTSUP)
    }

    // MARK: Access control lists

    @Test func anAccessListIsCopied() throws {
        let tree = try Tree()
        let (old, new) = (open(tree.path + "/file", O_RDONLY), open(tree.path + "/sub/file", O_RDWR))
        defer { _ = [old, new].map { close($0) } }
        func list(_ descriptor: Int32) -> String? {
            var text = [CChar](repeating: 0, count: 64)
            guard xnu_list(descriptor, &text, 63) >= 0 else { return nil }
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
        }
        #expect(apple_copy_access_list(old, new) == 0)
        #expect(list(new) == nil)
        #expect(xnu_put_list(old, "everyone:deny delete") == 0)
        #expect(apple_copy_access_list(old, new) == 0)
        #expect(list(new) == "everyone:deny delete")
        // The new file has a list from its directory, and the old file has none.
        let plain = open(tree.path + "/plain", O_RDWR | O_CREAT, 0o600)
        defer { close(plain) }
        #expect(apple_copy_access_list(plain, new) == 0)
        #expect(list(new) == nil)
        #expect(Self.errorNumber(apple_copy_access_list(-1, new)) == EBADF)
    }
    #endif
}
