import CapsuleCore
import CapsuleOverlay
import CapsulePropertyList

/// Reads an overlay of any form. If it can be read, it is written as a document, applied, and applied again.
enum OverlayRound {
    /// The options, from the lowest bits of the first byte.
    private struct Choices {
        let isDeep: Bool
        let expands: Bool

        init(_ byte: UInt8) {
            isDeep = byte & 1 != 0
            expands = byte & 2 != 0
        }
    }

    /// A property list to apply overlays to: arrays with and without a known identity, and each type of scalar.
    private static let base: PlistValue = [
        "CFBundleURLTypes": [["CFBundleURLName": "a", "CFBundleURLSchemes": ["x", "y"]], ["CFBundleURLName": "b"]],
        "UIApplicationSceneManifest": [
            "UISceneConfigurations": ["R": [["UISceneConfigurationName": "Default", "UISceneDelegateClassName": "D"]]]
        ],
        "a": ["b": [1, 2.5, true, "s", .date(0), .data([1, 2]), ["k": "v"]], "c": ["k": [:]]], "": [], "list": [[1], [2], []],
    ]

    /// - Returns: the first property that does not hold; nil if all hold.
    static func run(_ bytes: [UInt8]) -> String? {
        guard let first = bytes.first else { return nil }
        let choices = Choices(first)
        let limits = PlistLimits(depth: 64, binaryObjects: 4096, outputBytes: 1 << 20)
        guard let document = try? PlistDocument.read(Array(bytes.dropFirst()), limits: limits) else { return nil }
        let overlay: Overlay
        do throws(OverlayError) {
            overlay = try Overlay(document.value, format: document.format, isDeep: choices.isDeep)
        } catch {
            return error.message.isEmpty ? "an error that says nothing" : nil
        }
        if overlay.form == .document, (try? Overlay(overlay.document, format: .binary)) != overlay {
            return "another overlay when it is read again"
        }
        if let problem = checkFiles(of: overlay) { return problem }
        return check(overlay, in: OverlayContext(values: ["NAME": "a b/c", "DEBUG": "YES"], expands: choices.expands))
    }

    /// Checks that records inverted twice are the same records, and that composing records with their inverse gives nothing.
    private static func checkFiles(of overlay: Overlay) -> String? {
        guard let inverse = try? overlay.inverted(), !overlay.files.isEmpty else { return nil }
        let records = Overlay(targets: [], files: overlay.files)
        if (try? inverse.inverted().files) != overlay.files, inverse.files.allSatisfy({ (try? $0.check()) != nil }),
            (try? inverse.inverted()) != nil
        {
            return "other records when they are inverted twice"
        }
        guard let both = try? records.composition(with: Overlay(targets: [], files: inverse.files)) else { return nil }
        return both.overlay.files.allSatisfy(\.isGuard) ? nil : "does something when it is taken back at once"
    }

    /// Checks that a plain overlay changes nothing the second time. Overlays with variables are skipped.
    private static func check(_ overlay: Overlay, in context: OverlayContext) -> String? {
        guard let once = try? overlay.applied(to: base, in: context), !context.expands, overlay.form == .plain else {
            return nil
        }
        do throws(OverlayError) {
            let twice = try overlay.applied(to: once.value, in: context)
            return twice.value == once.value ? nil : "applied twice is not applied once"
        } catch {
            return "can't be applied again: \(error.message)"
        }
    }
}
