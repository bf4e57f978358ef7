// Stands for Apple's module Dispatch: the signatures that the package uses, and no behavior.

open class DispatchObject: @unchecked Sendable {}

public final class DispatchQueue: DispatchObject, @unchecked Sendable {
    public class var main: DispatchQueue { fatalError() }
    public class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {}
    public func sync<T>(execute work: () throws -> T) rethrows -> T { fatalError() }
    public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {}
}

public final class DispatchSemaphore: DispatchObject, @unchecked Sendable {
    public init(value: Int) {}
    public func wait() {}
    @discardableResult
    public func signal() -> Int { 0 }
}

public final class DispatchGroup: DispatchObject, @unchecked Sendable {
    public override init() {}
    public func enter() {}
    public func leave() {}
    public func wait() {}
}
