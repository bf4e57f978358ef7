import CapsuleRuntime
import Foundation
import SwiftUI

/// Shows the GIFs of a store.
struct GifList: View {
    let store: URL

    var body: some View {
        Text(store.lastPathComponent)
    }
}

struct GifListPreviews: PreviewProvider {
    /// Made once: a store that is open must not be replaced.
    private static let store = Result { () throws(AppDataError) in try PreviewStore(named: "Model").url() }

    static var previews: some View {
        switch store {
        case .success(let url): GifList(store: url)
        case .failure(let error): Text(error.description)
        }
    }
}
