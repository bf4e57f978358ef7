import CapsuleCore
import CapsuleHashing
import CapsulePropertyList

/// What an HTML report lets a browser do with it (W3C, Content Security Policy Level 3).
public enum PagePolicy {
    /// The policy of a page that shows its own pictures, uses one style and runs one script, and loads nothing.
    ///
    /// - Parameters:
    ///   - style: the text of the page's `style`.
    ///   - script: the text of its `script`.
    public static func text(style: [UInt8], script: [UInt8]) -> String {
        "default-src 'none'; img-src data:; style-src '\(source(style))'; script-src '\(source(script))'; "
            + "base-uri 'none'; form-action 'none'"
    }

    /// A text by its digest (section 2.3.1).
    private static func source(_ text: [UInt8]) -> String {
        "sha256-" + String(decoding: Base64.encode(SHA256Hasher.digest(of: text).withBytes { Array($0) }), as: UTF8.self)
    }
}
