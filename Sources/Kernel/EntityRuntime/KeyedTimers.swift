public import EventSourcing
public import Synchronization

/// The journalled timers of entities: one for each entity and name, armed by absolute wall-clock deadlines.
///
/// An overdue deadline (the server was down) fires at the next tick, earliest first.
public final class KeyedTimers<Name: Hashable & Sendable>: Sendable {
  // Inlinable: whoever knows the names has a table of them, and each message moves a timer.

  @usableFromInline
  struct Key: Hashable, Sendable {
    @usableFromInline let entity: String
    @usableFromInline let name: Name

    @inlinable
    init(entity: String, name: Name) {
      self.entity = entity
      self.name = name
    }

    @inlinable
    static func == (left: Key, right: Key) -> Bool { left.entity == right.entity && left.name == right.name }

    @inlinable
    func hash(into hasher: inout Hasher) {
      hasher.combine(entity)
      hasher.combine(name)
    }
  }

  @usableFromInline let wheel: TimerWheel
  @usableFromInline let time: any TimeSource
  @usableFromInline let running = Mutex<[Key: TimerWheel.Handle]>([:])

  /// What timers do if nothing else is said: one for many of them costs less than one for each.
  public typealias Firing = @Sendable (_ name: Name, _ entity: String) -> Void
  @usableFromInline let firing = Mutex<Firing?>(nil)

  public init(wheel: TimerWheel, time: any TimeSource) {
    self.wheel = wheel
    self.time = time
  }

  /// Says, once, what its timers do.
  public func bind(_ firing: @escaping Firing) {
    self.firing.withLock {
      precondition($0 == nil, "timers do one thing")
      $0 = firing
    }
  }

  /// Starts the timer, or moves it if it runs.
  @inlinable
  public func start(_ name: Name, of entity: String, at deadline: Timestamp, _ action: @escaping TimerWheel.Action) {
    let key = Key(entity: entity, name: name)
    schedule(key, at: deadline) { [weak self] in
      self?.forget(key)
      action()
    }
  }

  /// As the other; it does what all these timers do.
  @inlinable
  public func start(_ name: Name, of entity: String, at deadline: Timestamp) {
    let key = Key(entity: entity, name: name)
    schedule(key, at: deadline) { [weak self] in
      self?.forget(key)
      self?.fire(key)
    }
  }

  @inlinable
  func schedule(_ key: Key, at deadline: Timestamp, _ action: @escaping TimerWheel.Action) {
    let delay = Self.delay(from: time.now, to: deadline)
    running.withLock { running in
      if let handle = running[key] { wheel.cancel(handle) }
      running[key] = wheel.schedule(afterMilliseconds: delay, action)
    }
  }

  @inlinable
  func fire(_ key: Key) { firing.withLock { $0 }?(key.name, key.entity) }

  @inlinable
  func forget(_ key: Key) { running.withLock { _ = $0.removeValue(forKey: key) } }

  @usableFromInline
  static func delay(from now: Timestamp, to deadline: Timestamp) -> Int64 {
    let delay = deadline.milliseconds.subtractingReportingOverflow(now.milliseconds).partialValue
    #if CARILLON_CANARIES
      if Canary.sings(.secondsForMilliseconds) { return delay / 1_000 }
    #endif
    return delay
  }

  @inlinable
  public func cancel(_ name: Name, of entity: String) {
    let handle = running.withLock { $0.removeValue(forKey: Key(entity: entity, name: name)) }
    if let handle { wheel.cancel(handle) }
  }
}
