// Stands for Apple's framework UIKit: the signatures that the package uses, and no behavior. There is no UIApplication on a watch.

@_exported public import Foundation

#if !os(watchOS)
@MainActor
open class UIResponder: NSObject {}

@MainActor
open class UIApplicationShortcutItem: NSObject {}

@MainActor
open class UIApplication: UIResponder {
    open class var shared: UIApplication { fatalError() }
    public nonisolated class var didFinishLaunchingNotification: NSNotification.Name { fatalError() }

    #if !os(visionOS)
    @available(iOS, introduced: 2.0, deprecated: 17.0)
    @available(tvOS, introduced: 9.0, deprecated: 26.0)
    open var applicationIconBadgeNumber: Int {
        get { fatalError() }
        set {}
    }
    #endif

    #if !os(tvOS)
    open var shortcutItems: [UIApplicationShortcutItem]? {
        get { fatalError() }
        set {}
    }
    #endif
}
#endif
