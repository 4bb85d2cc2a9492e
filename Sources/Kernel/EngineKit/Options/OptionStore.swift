public import Synchronization

/// The options in force. Replaced as a whole when the operator reloads.
public final class OptionStore: Sendable {
  /// How often the options were replaced: what was derived from those before holds no longer.
  @usableFromInline let generation = Atomic<Int>(0)
  private let options: Mutex<Options>
  private let followers = Mutex<[@Sendable () -> Void]>([])

  public init(_ options: Options) { self.options = Mutex(options) }

  public var current: Options { options.withLock { $0 } }

  /// Puts new options in force; running timers keep the values that they were started with.
  public func replace(_ options: Options) {
    self.options.withLock {
      $0 = options
      generation.wrappingAdd(1, ordering: .releasing)
    }
    for follower in followers.withLock({ $0 }) { follower() }
  }

  /// From now on it is told when other options are in force.
  package func onReplace(_ follower: @escaping @Sendable () -> Void) { followers.withLock { $0.append(follower) } }
}
