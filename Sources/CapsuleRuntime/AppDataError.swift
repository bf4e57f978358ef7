/// An error that stopped the installation or the reset of an app's data.
public struct AppDataError: Error, Hashable, Sendable {
    /// The kinds of errors that callers distinguish.
    public struct Code: Hashable, Sendable {
        private enum Value {
            case missing, notAContainer, notDebug, noGroup, throughLink, occupied, tooDeep, notAPropertyList, busy, keychain
            case system
        }
        private let value: Value

        /// The bundle has no seed or store of that name.
        public static let missing = Code(value: .missing)
        /// The home directory belongs to a user, not to the app: nothing in it is written or deleted.
        public static let notAContainer = Code(value: .notAContainer)
        /// A reset in a build without DEBUG, without `isForced`.
        public static let notDebug = Code(value: .notDebug)
        /// The app has no access to a group: its entitlements do not contain it.
        public static let noGroup = Code(value: .noGroup)
        /// A symbolic link was found where a directory is required.
        public static let throughLink = Code(value: .throughLink)
        /// A directory was found where a file is required, or the reverse; or something beside a seed's database that must be a file or a
        /// directory is neither.
        public static let occupied = Code(value: .occupied)
        /// A seed has more than 64 levels of directories. One directory per level is open during the installation.
        public static let tooDeep = Code(value: .tooDeep)
        /// A file in `Library/Preferences` that is not a property list with a dictionary at its root.
        public static let notAPropertyList = Code(value: .notAPropertyList)
        /// Another process is installing or resetting in the same directory.
        public static let busy = Code(value: .busy)
        /// The keychain refused the deletion (SecItemDelete).
        public static let keychain = Code(value: .keychain)
        /// A system call failed; ``AppDataError/number`` is its error number.
        public static let system = Code(value: .system)

        private init(value: Value) { self.value = value }
    }

    /// The kind of error.
    public let code: Code
    /// The path of a file, or the name of a group or a seed.
    public let path: String
    /// The message in lower case, without a period and without the path.
    public let message: String
    /// The system's error number (errno(3), OSStatus); 0 if there is none.
    public let number: Int32

    package init(_ code: Code, _ path: String, _ message: String, number: Int32 = 0) {
        self.code = code
        self.path = path
        self.message = message
        self.number = number
    }
}

extension AppDataError: CustomStringConvertible {
    /// The path and the message.
    public var description: String { "\(path): \(message)" }
}
