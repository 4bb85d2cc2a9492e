public import EventSourcing
import Synchronization

/// Why a turn did not happen.
public enum TurnError<Rejection: Error & Equatable>: Error {
  /// The decider refuses; the sender is told why.
  case rejected(Rejection)
  /// The entity's mailbox or the journal's buffer is full.
  case overloaded
  /// The disk has no room.
  case storageFull
  /// The turn's events are larger than the log takes.
  case tooLarge
  /// The journal has failed; the process is about to end.
  case failed
}

/// One live entity.
///
/// A turn is synchronous: decide, append to the log, evolve. Nothing awaits between reading state and changing it.
/// The reply and the effects of the turn's events leave when the journal's durable position has passed them.
///
/// ```
/// command ─> decide ─> append ─> evolve ─> react ┄┄ durable ┄┄> effects, then the reply
/// ```
/// The state may be asleep in a file at first: whatever looks at it reads it first, in the same turn.
public actor Entity<State: RestorableState> {
  public typealias Failure = TurnError<State.Rejection>
  /// Performs the effects of one turn, in order, on the outbox's task. Must not wait for the durability of anything.
  public typealias Interpreter = @Sendable (_ effects: [State.Effect], _ entity: Entity<State>) async -> Void

  public nonisolated let id: EntityID
  private var state: State
  /// Where the state lies: it still is what lies there as long as `sequence` is the one that it was read at.
  private var source: (place: StatePlace, sequence: UInt64)?
  private var sequence: UInt64
  /// `sequence` for those who only want to know whether anything has happened since.
  private nonisolated let progress: Atomic<UInt64>
  /// The sweep during which it was used last, see `EntityDirectory.sweep`.
  private nonisolated let lastUse: Atomic<UInt32>
  // Small ones stand together: there may be a million entities.
  private var waiting: UInt32 = 0
  /// Nobody has asked for the state: it lies at `source`, and `state` is empty.
  private var isAsleep: Bool
  /// The timers that the state waits for do not run: the process before this one started them.
  private var isUnarmed: Bool
  /// Commands that the log had no room for, in their order.
  private var deferred: [State.Command] = []
  private let context: RuntimeContext
  private let interpret: Interpreter

  /// - Parameters:
  ///   - place: where the state sleeps, if it does; `state` is empty then.
  ///   - isUnarmed: the timers that it waits for are to be started when it wakes up.
  public init(
    id: EntityID, state: State = State(), sleepingAt place: StatePlace? = nil, isUnarmed: Bool = false,
    sequence: UInt64 = 0, context: RuntimeContext, interpret: @escaping Interpreter
  ) {
    self.id = id
    self.state = state
    source = place.map { ($0, sequence) }
    isAsleep = place != nil
    self.isUnarmed = isUnarmed
    self.sequence = sequence
    self.context = context
    self.interpret = interpret
    progress = Atomic(sequence)
    lastUse = Atomic(context.sweepNumber.load(ordering: .relaxed))
  }

  /// Takes a command from outside and returns once its events are durable and their effects performed.
  /// - Parameter reply: what to tell the sender; reads the state that this very turn made.
  public func perform<Reply: Sendable>(
    _ command: State.Command, reply: @Sendable (borrowing State) -> Reply
  ) async throws(Failure) -> Reply {
    guard waiting < UInt32(clamping: context.limits.mailboxMaximum) else { throw .overloaded }
    waiting += 1
    // The continuation's body runs here and now, on this actor: the turn is over before anything awaits.
    // Unchecked, because it is on the way of every message: each path below hands it over exactly once.
    let result = await withUnsafeContinuation { (continuation: UnsafeContinuation<Result<Reply, Failure>, Never>) in
      let gate = ReleaseGate()
      do throws(Failure) {
        try wake()
        let effects = try turn(command, lazy: false, gate, isAwaited: true)
        let answer = Result<Reply, Failure>.success(Self.read(&state, reply))
        gate.open(release(effects) { continuation.resume(returning: $0 == .durable ? answer : .failure(.failed)) })
      } catch {
        // A refusal tells about state too: it waits for the events that made it.
        let failure = Result<Reply, Failure>.failure(error)
        do throws(EventLogError) {
          try context.log.afterDurable { continuation.resume(returning: $0 == .durable ? failure : .failure(.failed)) }
        } catch {
          continuation.resume(returning: .failure(Self.failure(error)))
        }
      }
    }
    waiting -= 1
    return try result.get()
  }

  /// Takes a command that the process owes itself (an effect of another entity, a timer): nobody waits for it.
  ///
  /// When the disk is full, or too much waits for it, it is put off, and those that come after it stay behind it. A
  /// refusal changes nothing.
  /// - Parameter lazy: a hint: its record rides on the next frame, and it is dropped rather than put off.
  /// - Returns: false if it was put off or dropped: the journal has nothing of it yet.
  @discardableResult
  public func post(_ command: State.Command, lazy: Bool = false) -> Bool {
    guard lazy || deferred.isEmpty else {
      put(off: command)
      return false
    }
    let gate = ReleaseGate()
    do throws(Failure) {
      try wake()
      let effects = try turn(command, lazy: lazy, gate, isAwaited: false)
      gate.open(effects.isEmpty ? nil : release(effects) { _ in })
      return true
    } catch {
      switch error {
      case .storageFull, .overloaded:
        if !lazy { put(off: command) }
        return false
      case .rejected, .tooLarge, .failed: return true
      }
    }
  }

  /// As `post`, but nothing is put off: without room for it now, nothing has happened.
  /// - Parameters:
  ///   - reply: what the sender is told at once, of the state that this very turn made: it may run ahead of the disk.
  ///   - then: once the turn is durable, behind its effects, or lost. As the interpreter, it must not wait for the durability of
  ///     anything.
  /// - Returns: nil if there was no room, the decider refuses, or the entity is finished.
  public func post<Reply: Sendable>(
    ifRoom command: State.Command, reply: @Sendable (borrowing State) -> Reply,
    then: @escaping @Sendable (Reply, Durability) -> Void
  ) -> Reply? {
    guard deferred.isEmpty else { return nil }
    let gate = ReleaseGate()
    do throws(Failure) {
      try wake()
      if state.isFinished { return nil }
      let effects = try turn(command, lazy: false, gate, isAwaited: true)
      let answer = Self.read(&state, reply)
      gate.open(release(effects) { then(answer, $0) })
      return answer
    } catch { return nil }
  }

  private func put(off command: State.Command) {
    guard deferred.count < context.limits.deferredMaximum else { return }
    deferred.append(command)
    guard deferred.count == 1 else { return }
    let lane = context.lanes[id.hashValue]
    _ = context.timers.schedule(afterMilliseconds: context.limits.storageRetryMilliseconds) {
      lane.enqueue { await self.takeUp() }
    }
  }

  private func takeUp() {
    let commands = deferred
    deferred = []
    for command in commands { post(command) }
  }

  /// Reads the state once everything that made it is durable.
  /// - Throws: `.overloaded` or `.failed` if that cannot be waited for.
  public func read<Value: Sendable>(
    _ body: @Sendable (borrowing State) -> Value
  ) async throws(Failure) -> Value {
    try wake()
    let value = Self.read(&state, body)
    do throws(EventLogError) { try await context.untilDurable() } catch { throw Self.failure(error) }
    return value
  }

  /// Reads the state as it is now, and hands that on in the journal's order: once everything that made it is durable,
  /// behind the effects of that, and before the effects of whatever comes later.
  /// - Parameter then: as the interpreter, it must not wait for the durability of anything.
  /// - Throws: `.overloaded` or `.failed` if that cannot be waited for.
  public func read<Value: Sendable>(
    _ body: @Sendable (borrowing State) -> Value,
    inOrder then: @escaping @Sendable (Value) async -> Void
  ) throws(Failure) {
    try wake()
    let value = Self.read(&state, body)
    do throws(EventLogError) { try context.log.afterDurable { if $0 == .durable { await then(value) } } } catch {
      throw Self.failure(error)
    }
  }

  /// Reads the state as it is now, which may run ahead of the disk: what comes of it must not leave the process before
  /// a later `read` or reply.
  public func peek<Value: Sendable>(_ body: @Sendable (borrowing State) -> Value) -> Value {
    // A state that is lost reads as empty for the moment that the process has left.
    try? wake()
    return Self.read(&state, body)
  }

  /// As `peek`, and no use: whoever looks at all of them keeps none from its sleep.
  func glance<Value: Sendable>(_ body: @Sendable (borrowing State) -> Value) -> Value {
    let use = lastUse.load(ordering: .relaxed)
    defer { lastUse.store(use, ordering: .relaxed) }
    return peek(body)
  }

  /// Performs what is still owed after a restart.
  public func rearm() async {
    guard (try? wake()) != nil else { return }
    let effects = state.outstandingEffects
    if !effects.isEmpty { await interpret(effects, self) }
  }

  /// Reads a sleeping state, and notes that the entity is in use. Waits for the disk if need be, as nothing else of a
  /// turn does: to await here would let another turn in between.
  private func wake() throws(Failure) {
    lastUse.store(context.sweepNumber.load(ordering: .relaxed), ordering: .relaxed)
    guard let place = placeOfSleep else { return }
    do {
      let image = try EntityImage(bytes: place.image())
      state = try State(stateBytes: image.state)
    } catch {
      context.onLostState("the state of \(id) cannot be read: \(error)")
      throw .failed
    }
    isAsleep = false
    if isUnarmed { arm() }
  }

  /// Nil once the state has been read.
  private var placeOfSleep: StatePlace? { isAsleep ? source?.place : nil }

  /// Starts the timers of a state that a process before this one put to sleep: it owed nothing else then. They come to
  /// the outbox before the effects of the turn that begins.
  private func arm() {
    isUnarmed = false
    let effects = state.outstandingEffects
    guard !effects.isEmpty else { return }
    let interpret = interpret
    do throws(EventLogError) {
      try context.log.afterDurable { [self] in if $0 == .durable { await interpret(effects, self) } }
    } catch {
      context.lanes[id.hashValue].enqueue { [self] in await interpret(effects, self) }
    }
  }

  /// Reads the state if it sleeps, and starts its timers if nobody has.
  public func wakeUp() { try? wake() }

  // MARK: Sleep

  /// The state as bytes; may run ahead of the disk. Does not count as use.
  func capture(_ note: (borrowing State) -> [UInt8]) -> CapturedEntity {
    if let placeOfSleep { return CapturedEntity(content: .place(placeOfSleep), sequence: sequence) }
    if state.isFinished { return CapturedEntity(content: .finished, sequence: sequence) }
    if let source, source.sequence == sequence {
      return CapturedEntity(content: .place(source.place), sequence: sequence)
    }
    let brief = Brief(rest: state.rest, note: Self.note(&state, note))
    return CapturedEntity(content: .image(EntityImage(brief: brief, state: state.stateBytes)), sequence: sequence)
  }

  /// As `capture`; nil if the entity was used during the last `sweeps` sweeps, or is busy, or owes something.
  func captureForSleep(unusedFor sweeps: UInt32, _ note: (borrowing State) -> [UInt8]) -> CapturedEntity? {
    // Looked up and never used: its timers would be forgotten.
    if isUnarmed { wakeUp() }
    let age = context.sweepNumber.load(ordering: .relaxed) &- lastUse.load(ordering: .relaxed)
    guard age > sweeps, waiting == 0, deferred.isEmpty, !state.isFinished, isAsleep || state.rest != .wakeful
    else { return nil }
    return capture(note)
  }

  /// The state as it was at `at` lies at `newPlace` too.
  func move(at: UInt64, to newPlace: StatePlace) {
    guard sequence == at else { return }
    source = (newPlace, at)
  }

  /// The number of the last event so far; 0 for one that nothing has happened to.
  public nonisolated var progressedTo: UInt64 { progress.load(ordering: .relaxed) }

  private static func note(_ state: inout State, _ note: (borrowing State) -> [UInt8]) -> [UInt8] { note(state) }

  /// Decide, append, evolve. The log holds `gate`'s place; the caller opens it.
  private func turn(
    _ command: State.Command, lazy: Bool, _ gate: ReleaseGate, isAwaited: Bool
  ) throws(Failure) -> [State.Effect] {
    // Nothing is written behind the end of an entity: replay lets go of it there.
    if !isAwaited, state.isFinished { return [] }
    let now = context.time.now
    let events: [State.Event]
    do { events = try Self.decide(command, on: &state, now: now) } catch { throw .rejected(error) }
    do throws(EventLogError) {
      guard !events.isEmpty else {
        if isAwaited { try context.log.afterDurable(gate.release) }
        return []
      }
      var stored: [StoredEvent] = []
      stored.reserveCapacity(events.count)
      for index in events.indices { stored.append(StoredEvent(events[index])) }
      try context.log.append(
        Turn(id: id, firstSequence: sequence + 1, time: now, events: stored), lazy: lazy, release: gate.release)
    } catch { throw Self.failure(error) }
    sequence += UInt64(events.count)
    progress.store(sequence, ordering: .relaxed)
    return Self.apply(events, to: &state, at: now)
  }

  // The state of an unknown type is worked on where it lies: through `inout`, since reading it any other way would copy
  // all of it, transcript references and all, at every turn.

  private static func decide(
    _ command: State.Command, on state: inout State, now: Timestamp
  ) throws(State.Rejection) -> [State.Event] { try state.decide(command, now: now) }

  private static func apply(
    _ events: [State.Event], to state: inout State, at time: Timestamp
  ) -> [State.Effect] {
    var effects: [State.Effect] = []
    for event in events {
      state.evolve(event, at: time)
      // Of one event, as nearly always, they are its own: to add them to none is a loop over what nobody knows here.
      let more = state.react(to: event)
      if effects.isEmpty { effects = more } else if !more.isEmpty { effects += more }
    }
    return effects
  }

  private static func read<Value>(_ state: inout State, _ body: (borrowing State) -> Value) -> Value { body(state) }

  private func release(_ effects: [State.Effect], then reply: @escaping @Sendable (Durability) -> Void) -> Release {
    let interpret = interpret
    guard !effects.isEmpty else { return { reply($0) } }
    #if CARILLON_CANARIES
      if Canary.sings(.effectBeforeDurable) {
        context.lanes[0].enqueue { [self] in await interpret(effects, self) }
        return { reply($0) }
      }
    #endif
    return { [self] fate in
      if fate == .durable { await interpret(effects, self) }
      reply(fate)
    }
  }

  private static func failure(_ error: EventLogError) -> Failure {
    switch error {
    case .overloaded: .overloaded
    case .tooLarge: .tooLarge
    case .storageFull: .storageFull
    case .failed: .failed
    }
  }
}
