extension AppDataReset {
    /// What a reset did.
    public struct Summary: Hashable, Sendable {
        /// What was deleted, each with all that was in it: paths in the container; of app groups `AppGroups/ID/…`.
        public internal(set) var deleted: [String] = []
        /// Domains of preferences whose values were removed.
        public internal(set) var preferenceDomains: [String] = []
    }
}
