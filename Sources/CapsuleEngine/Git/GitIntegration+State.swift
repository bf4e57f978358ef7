public import CapsuleCore

extension GitIntegration {
    /// What was found of one scope.
    public struct State: Sendable {
        /// How much of it is there.
        public enum Extent: String, Sendable {
            /// Nothing.
            case absent
            /// A part.
            case incomplete
            /// All, as another release or another place of this program would write it.
            case outdated
            /// All.
            case installed
        }

        /// For which repositories.
        public let scope: GitScope
        /// How much of it is there.
        public let extent: Extent
        /// The file of attributes.
        public let attributes: HostPath
        /// The command that merges; nil if none is set.
        public let driver: [UInt8]?
        /// Whether anything was written just now.
        public var isChanged = false
    }
}
