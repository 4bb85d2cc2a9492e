public import Synchronization

/// What is derived from the options, made once for each key as long as they are in force.
public final class OptionCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline
  struct State {
    @usableFromInline var generation = -1
    @usableFromInline var values: [Key: Value] = [:]

    @usableFromInline init() {}
  }

  @usableFromInline let store: OptionStore
  @usableFromInline let maximum: Int
  @usableFromInline let keeps: @Sendable (Value) -> Bool
  @usableFromInline let make: @Sendable (Options, Key) -> Value
  @usableFromInline let state = Mutex(State())

  /// - Parameters:
  ///   - maximum: beyond so many keys all are made anew: what callers name may be anything.
  ///   - keeps: whether a value is worth its place.
  @inlinable
  public init(
    _ store: OptionStore, maximum: Int = 256, keeps: @escaping @Sendable (Value) -> Bool = { _ in true },
    make: @escaping @Sendable (Options, Key) -> Value
  ) {
    self.store = store
    self.maximum = maximum
    self.keeps = keeps
    self.make = make
  }

  @inlinable
  public subscript(key: Key) -> Value {
    state.withLock { state in
      // Before the options are read: those that come meanwhile are then asked for again.
      let generation = store.generation.load(ordering: .acquiring)
      if state.generation == generation, let value = state.values[key] { return value }
      if state.generation != generation { (state.generation, state.values) = (generation, [:]) }
      let value = make(store.current, key)
      guard keeps(value) else { return value }
      if state.values.count >= maximum { state.values = [:] }
      state.values[key] = value
      return value
    }
  }
}
