#if canImport(UIKit) && !os(watchOS)
import Foundation
import UIKit

extension AppDataReset {
    /// Waits for the launch: before it there is no application whose properties could be set.
    static func resetApplicationProperties() {
        NotificationCenter.default.addObserver(
            forName: UIApplication.didFinishLaunchingNotification, object: nil, queue: .main
        ) { _ in
            MainActor.assumeIsolated {
                #if !os(visionOS)
                UIApplication.shared.applicationIconBadgeNumber = 0
                #endif
                #if os(iOS) || os(visionOS)
                UIApplication.shared.shortcutItems = []
                #endif
            }
        }
    }
}
#endif
