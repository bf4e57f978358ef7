import CapsuleCore

/// Opens each file on its own.
final class PlainOpener: ContentOpener {
    private let content: any ContentProvider

    init(_ content: any ContentProvider) { self.content = content }

    func open(_ entry: TreeEntry, number: Int) throws(CapsuleError) -> any OpenContent {
        try content.open(entry, number: number)
    }
}
