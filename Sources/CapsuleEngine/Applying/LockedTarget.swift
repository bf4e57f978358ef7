import CapsuleCore
import CapsuleFileSystem

/// Directories that are locked against other transactions, and in which none is left unfinished.
final class LockedTarget: Sendable {
    let roots: [RootDirectory]
    /// What had been left unfinished in them, and what it came to.
    let recovered: [Recovery]
    private let locks: [DirectoryLock]

    /// Locks the directories and finishes, or undoes, what is unfinished in them.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for a lock, in seconds.
    ///   - writes: whether anything may be written; else what is unfinished stays, and listing the directory refuses it.
    init(_ roots: [RootDirectory], timeout: Double, writes: Bool = true) throws(CapsuleError) {
        // There will be something to clean up, or to finish, if the user wishes to stop.
        Interruption.resume()
        let table = try LockTable(roots, timeout: timeout)
        var recovered: [Recovery] = []
        for root in roots where writes { recovered += try TransactionRecovery(table).recover(root) }
        self.roots = roots
        self.recovered = recovered
        locks = table.given
    }
}
