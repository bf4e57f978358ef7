/// What kept an app's data from being installed or reset.
public struct AppDataError: Error, Hashable, Sendable {
    /// What callers tell apart.
    public struct Code: Hashable, Sendable {
        private enum Value {
            case missing, notAContainer, notDebug, noGroup, throughLink, occupied, tooDeep, notAPropertyList, busy, keychain
            case system
        }
        private let value: Value

        /// The bundle has no seed or store of that name.
        public static let missing = Code(value: .missing)
        /// The home directory is a user's, not the app's own: nothing in it is written or deleted.
        public static let notAContainer = Code(value: .notAContainer)
        /// A reset in a build without DEBUG that nobody has forced.
        public static let notDebug = Code(value: .notDebug)
        /// The app has no access to a group: its entitlements do not name it.
        public static let noGroup = Code(value: .noGroup)
        /// A symbolic link is where a directory has to be.
        public static let throughLink = Code(value: .throughLink)
        /// A directory is where a file has to be, or the other way round; or a link is where a seed's database has a log.
        public static let occupied = Code(value: .occupied)
        /// A seed's directories lie deeper than 64 in each other; each of them is open while it is installed.
        public static let tooDeep = Code(value: .tooDeep)
        /// A file in `Library/Preferences` that is no property list with a dictionary.
        public static let notAPropertyList = Code(value: .notAPropertyList)
        /// Another process is installing or resetting in the same directory.
        public static let busy = Code(value: .busy)
        /// The keychain refused (SecItemDelete).
        public static let keychain = Code(value: .keychain)
        /// A system call failed; ``AppDataError/number`` says why.
        public static let system = Code(value: .system)

        private init(value: Value) { self.value = value }
    }

    /// What callers tell apart.
    public let code: Code
    /// What it is about: a file's path, or the name of a group or a seed.
    public let path: String
    /// What went wrong, lower case, no period, without the path.
    public let message: String
    /// The system's own number (errno(3), OSStatus); 0 if it gave none.
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
