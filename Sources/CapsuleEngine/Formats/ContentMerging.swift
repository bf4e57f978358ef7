import CapsuleContainers
import CapsuleCore
import CapsuleMerge

/// A file's contents on three sides.
struct MergedContents {
    let path: RelativePath
    /// Nil if both sides added the file. An empty base is nil, too, as it is the beginning of every content.
    let base: ComparedContent?
    let ours: ComparedContent
    let theirs: ComparedContent
}

/// The setting of a merge of contents.
struct ContentMerging {
    let labels: MergeLabels
    let arrays: [ArrayIdentities.Rule]
    /// True if texts get conflict markers where conflicts are open.
    let hasMarks: Bool

    enum Result {
        /// The merged bytes, with ours in each open conflict.
        case made([UInt8], notes: [String])
        /// The contents can't be merged, in this format or a simpler one. The text is the reason for the conflict.
        case unfit(String)
        /// Neither side can be read as the format. The next one is tried.
        case notRead(String)
    }
}
