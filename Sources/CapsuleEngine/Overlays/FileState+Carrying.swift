import CapsuleCore

extension FileState.Content {
    /// What an overlay has to carry for it: all of it, or what its recipe does not copy; nil where that is more than can be
    /// counted.
    var blob: (digest: ContentDigest, size: UInt64)? {
        guard let recipe else { return (digest, size) }
        return recipe.carriedSize.map { (recipe.carried, $0) }
    }

    /// Whether an overlay carries ``blob``, if there is anything in that.
    func isCarried(in contents: (any CarriedContents)?) -> Bool {
        guard let blob else { return false }
        return blob.size == 0 || contents?.has(blob.digest, size: blob.size) == true
    }

    /// Opens it where its bytes are: those that are carried, and what its recipe copies. Whoever reads it compares its digest.
    ///
    /// - Parameter other: the other state's file, from which a recipe copies.
    /// - Returns: nil if it is not carried.
    /// - Throws: for a recipe that is not sound, or needs bytes that are not carried.
    func open(in contents: (any CarriedContents)?, from other: SideEntry?) throws(CapsuleError) -> (any OpenContent)? {
        guard let recipe else { return try contents?.open(digest, size: size) }
        guard let other else { return nil }
        var carried: (any OpenContent)?
        if let blob, blob.size > 0 { carried = try contents?.open(blob.digest, size: blob.size) }
        return try RecipeContent(recipe, size: size, of: try other.open(), otherSize: other.entry.size, carried: carried)
    }
}
