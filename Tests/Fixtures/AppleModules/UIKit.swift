// As much of UIKit as samples use.

@MainActor
open class UIResponder {
    public init() {}
}

open class UIScene: UIResponder {
    public final class ConnectionOptions {}
}

public final class UIWindowScene: UIScene {}
public final class UISceneSession {}
public final class UIViewController: UIResponder {}

public final class UIWindow: UIResponder {
    public var rootViewController: UIViewController?
    public init(windowScene: UIWindowScene) {}
    public func makeKeyAndVisible() {}
}

@MainActor
public protocol UIWindowSceneDelegate {
    var window: UIWindow? { get set }
    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions)
}
