import UIKit

/// Shows an empty window: unit tests that the app hosts need no screen, and nothing that one starts.
///
/// In the target of the unit tests, which the app has loaded when it asks for the class. The name for Objective-C is the one in
/// Test.plist, without a module.
@objc(TestingSceneDelegate)
final class TestingSceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        guard let scene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: scene)
        window.rootViewController = UIViewController()
        window.makeKeyAndVisible()
        self.window = window
    }
}
