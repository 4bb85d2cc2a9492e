import Synchronization

/// A part that is made after those that point to it, and is set once before any of them is used.
final class Late<Value: Sendable>: Sendable {
  private let storage = Mutex<Value?>(nil)

  func set(_ value: Value) {
    storage.withLock {
      precondition($0 == nil, "a late part is set once")
      $0 = value
    }
  }

  var value: Value {
    guard let value = storage.withLock({ $0 }) else { preconditionFailure("a late part is set before it is used") }
    return value
  }
}
