public import Synchronization

/// The options in force. Replaced as a whole when the operator reloads.
public final class OptionStore: Sendable {
  /// How often the options were replaced: what was derived from those before holds no longer.
  @usableFromInline let generation = Atomic<Int>(0)
  private let options: Mutex<Options>

  public init(_ options: Options) { self.options = Mutex(options) }

  public var current: Options { options.withLock { $0 } }

  /// Puts new options in force; running timers keep the values that they were started with.
  public func replace(_ options: Options) {
    self.options.withLock {
      $0 = options
      generation.wrappingAdd(1, ordering: .releasing)
    }
  }
}
