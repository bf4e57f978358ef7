public import CapsulePropertyList

extension Expectation {
    /// Returns the expectation, as a document, of exactly the changes of a comparison that are no noise.
    ///
    /// A run that does the same meets it though dates, UUIDs and the container's path are others; one that changes more does
    /// not. Values that are long, and secrets, are not in it.
    ///
    /// - Throws: `limit` for a comparison that is not complete, or that has too many changes; also for one that found more
    ///   than it kept, unless it was asked for this document (`ComparisonOptions.describes`).
    public static func describing(_ diff: ContainerDiff) throws(OverlayError) -> PlistValue {
        if let document = diff.described { return document }
        let describer = try ChangeDescriber(diff)
        return describer.document(describer.expectation.evaluate(diff))
    }
}
