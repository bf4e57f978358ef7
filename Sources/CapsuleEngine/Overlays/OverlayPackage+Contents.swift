import CapsuleCore

extension OverlayPackage {
    /// The content that a record makes, read where its bytes are: those that are carried, and what a recipe copies from what was
    /// there. Whoever reads it compares its digest.
    ///
    /// - Parameter other: opens the old content; asked for a recipe alone.
    /// - Returns: nil if the record makes no file, or says nothing of its content, or leaves it as it was.
    /// - Throws: for a content that is not carried, a recipe that is not sound.
    func newContent(
        of record: FileRecord, from other: () throws(CapsuleError) -> any OpenContent
    ) throws(CapsuleError) -> (any OpenContent)? {
        guard let new = record.new, let content = new.content, record.old?.content?.digest != content.digest else { return nil }
        let entry = TreeEntry(
            path: record.path, kind: .file, mode: new.mode ?? FileMode(0o644), modified: new.modified ?? .epoch,
            size: content.size, digest: content.digest, attributes: new.attributes ?? [])
        if content.size == 0 { return InMemoryContent([], as: entry) }
        guard let recipe = content.recipe else {
            guard let whole = try contents?.open(content.digest, size: content.size) else { throw Self.notCarried(record) }
            return StatedContent(whole, as: entry)
        }
        guard let old = record.old?.content else { throw Self.notCarried(record) }
        let size = recipe.carriedSize ?? 0
        let carried = size > 0 ? try contents?.open(recipe.carried, size: size) : nil
        return try RecipeContent(
            recipe, size: content.size, of: try other(), otherSize: old.size, carried: carried, mode: entry.mode,
            modified: entry.modified)
    }

    private static func notCarried(_ record: FileRecord) -> CapsuleError {
        CapsuleError(
            "the overlay does not carry its new content", path: HostPath(record.path.bytes),
            hint: "an overlay that was written with '--one-way' can't be inverted")
    }
}
