package import CapsuleCore

/// A place for blobs, manifests and tags: a repository of a registry, or a layout on this machine.
package protocol CapsuleRepository: Sendable {
    /// The address for messages.
    var path: HostPath { get }
    /// The word for it in messages, such as `the registry`.
    var place: String { get }

    /// Returns the manifest of the tag.
    /// - Throws: an error with the code `notCapsule` if the tag has something else.
    func manifestIfThere() throws(CapsuleError) -> RegistryManifest?

    /// Stores blobs that are not there yet.
    /// - Parameter stored: called with the length of each blob, and true if it was sent.
    func store(_ blobs: [NewBlob], stored: (UInt64, Bool) -> Void) throws(CapsuleError)

    /// Lets the tag name a manifest whose blobs are stored. Until that succeeds, it names what it named.
    /// - Parameters:
    ///   - config: the versions of the manifest.
    ///   - old: what the tag named when the histories were compared.
    /// - Throws: an error with the code `changed` if the tag has moved since then; nothing is changed in this case. With the code `exists`
    ///   if another push overwrote the tag. With the code `refused` if the manifest is of a form that the registry does not take.
    func tag(_ manifest: [UInt8], of config: CapsuleConfig, replacing old: RegistryManifest?) throws(CapsuleError)

    /// Lets another tag name the same manifest, whatever it named.
    func tag(_ manifest: [UInt8], also name: String) throws(CapsuleError)

    /// Returns a manifest or an index by its digest or its tag, as it is; nil if there is none.
    func document(_ name: String) throws(CapsuleError) -> [UInt8]?

    /// Returns the index of the manifests whose subject has a digest; nil if only a tag can name it.
    func referrers(of digest: OCIDigest) throws(CapsuleError) -> [UInt8]?

    /// Stores a manifest with a subject, or an index.
    /// - Parameter tag: the tag that names it then; nil for none.
    /// - Returns: true if ``referrers(of:)`` lists it.
    func put(_ document: [UInt8], _ type: String, as tag: String?) throws(CapsuleError) -> Bool

    /// Gets a small blob. The caller compares it with its digest.
    func content(of blob: OCIManifest.Blob) throws(CapsuleError) -> [UInt8]
}

/// A blob to store.
package struct NewBlob: Sendable {
    package let digest: OCIDigest
    package let body: HTTPBody

    package init(_ digest: OCIDigest, _ body: HTTPBody) {
        self.digest = digest
        self.body = body
    }
}
