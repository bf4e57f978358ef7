public import CapsulePropertyList

extension Expectation {
    /// The expectation, as a document, of exactly the changes of a comparison that are no noise.
    ///
    /// A run that does the same meets it though dates, UUIDs and the container's path are others; one that changes more does
    /// not. Values that are long, and secrets, are not in it.
    public static func describing(_ diff: ContainerDiff) -> PlistValue {
        var describer = ChangeDescriber()
        for entry in diff.entries { describer.add(entry) }
        return describer.document(counting: diff)
    }
}
