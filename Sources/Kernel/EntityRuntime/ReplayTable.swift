public import EventSourcing

/// Rebuilds the entities of one kind from their events, all of them or a share.
///
/// States are evolved where they lie, in pieces that never move, and never copied; sequence numbers lie apart, so that
/// looking at one does not touch a state. Finished entities are let go as soon as they are finished. Inlinable: a start
/// spends its time here, and only code that knows the state's type is fast.
public struct ReplayTable<State: RestorableState> {
  /// What a snapshot holds of an entity.
  public enum Base {
    case state(State, sequence: UInt64)
    case finished
  }

  /// Looks an entity up in the snapshot that the replay goes on from; nil if it is not there.
  public typealias BaseLookUp = (_ key: String) throws -> Base?

  public let kind: EntityKind
  @usableFromInline let share: ReplayShare
  @usableFromInline var table = KeyTable()
  /// Pieces of `pieceCount`, the last one with fewer.
  @usableFromInline var states: [[State]] = []
  @usableFromInline var sequences: [UInt64] = []
  /// Where each entity comes first in the journal: the order in which several shares are put together.
  @usableFromInline var beginnings: [UInt64] = []
  /// Entities that miss records, by index: the sequence number that was due, and where it was missed.
  @usableFromInline var gaps: [Int: ReplayError] = [:]
  /// Records of this kind that were erased: they have neither key nor number any more.
  public var erasedRecords = 0
  @usableFromInline let base: BaseLookUp?

  @inlinable static var finished: UInt64 { .max }
  @inlinable static var pieceCount: Int { 512 }

  /// - Parameter share: the entities whose records are taken; those of others are passed over.
  public init(kind: EntityKind, share: ReplayShare = .all, base: BaseLookUp? = nil) {
    self.kind = kind
    self.share = share
    self.base = base
  }

  /// Applies one record of this table's kind, if it is in its share.
  /// - Throws: `ReplayError`, or what the snapshot's look-up throws.
  @inlinable
  public mutating func apply(_ record: ReplayRecord) throws {
    let hash = KeyTable.hash(record.key)
    guard share.has(hash) else { return }
    let (index, isNew) = table.place(of: record.key, hash: hash)
    if isNew { try begin(index, at: record.position) }
    // What a finished entity's last moments left behind (a lazy record, a command under way) changes nothing, and what
    // the snapshot has already neither.
    let expected = sequences[index] &+ 1
    if record.sequence != expected {
      guard try follows(record, index, expected) else { return }
    }
    #if CARILLON_CANARIES
      if Canary.sings(.eventDroppedInReplay), record.sequence == 4 {
        sequences[index] = record.sequence
        return
      }
    #endif
    do throws(PayloadError) {
      var payload = PayloadReader(record.payload)
      let event = try State.Event(tag: record.tag, payload: &payload)
      states[index / Self.pieceCount][index % Self.pieceCount].evolve(event, at: record.time)
    } catch {
      throw ReplayError.undecodable(
        position: record.position, entity: EntityID(kind, table.keys[index]), tag: record.tag, reason: error)
    }
    sequences[index] = record.sequence
    // Its memory is given back.
    if states[index / Self.pieceCount][index % Self.pieceCount].isFinished {
      _ = take(index)
      sequences[index] = Self.finished
    }
  }

  /// Whether a record that is not the next one of its entity is to be applied all the same.
  @usableFromInline
  mutating func follows(_ record: ReplayRecord, _ index: Int, _ expected: UInt64) throws -> Bool {
    if sequences[index] == Self.finished { return false }
    if base != nil, record.sequence < expected { return false }
    if record.sequence > expected, State.Event.isRestatement(record.tag) {
      gaps[index] = nil
      return true
    }
    let gap = ReplayError.sequenceGap(
      position: record.position, entity: EntityID(kind, table.keys[index]), expected: expected,
      found: record.sequence)
    // Where records were erased, the event that restates what is left must follow; `finish` sees to it.
    guard erasedRecords > 0, record.sequence > expected else { throw gap }
    if endsAnything(record) {
      // What is left of an erased entity is its end.
      gaps[index] = nil
      _ = take(index)
      sequences[index] = Self.finished
    } else if gaps[index] == nil {
      gaps[index] = gap
    }
    return false
  }

  /// Whether this event is an entity's end, whatever came before it.
  private func endsAnything(_ record: ReplayRecord) -> Bool {
    var payload = PayloadReader(record.payload)
    guard let event = try? State.Event(tag: record.tag, payload: &payload) else { return false }
    var state = State()
    state.evolve(event, at: record.time)
    return state.isFinished
  }

  @inlinable
  mutating func begin(_ index: Int, at position: UInt64) throws {
    if index % Self.pieceCount == 0 {
      states.append([])
      states[states.count - 1].reserveCapacity(Self.pieceCount)
    }
    states[states.count - 1].append(State())
    sequences.append(0)
    beginnings.append(position)
    switch try base?(table.keys[index]) {
    case nil: break
    case .finished: sequences[index] = Self.finished
    case .state(let state, let sequence):
      states[index / Self.pieceCount][index % Self.pieceCount] = state
      sequences[index] = sequence
    }
  }

  /// Takes a state out, so that nobody else refers to what it has.
  @inlinable
  mutating func take(_ index: Int) -> State {
    var state = State()
    swap(&state, &states[index / Self.pieceCount][index % Self.pieceCount])
    return state
  }

  /// The entities that live, in the order of their first events, and the keys of those that have come to their end.
  /// - Throws: `sequenceGap` for an entity whose missing records nothing has made good.
  @inlinable
  public consuming func finish() throws(ReplayError) -> (entities: [RecoveredEntity<State>], finished: [String]) {
    try Self.finish([self])
  }

  /// The same of the shares of one replay.
  @inlinable
  public static func finish(
    _ shares: consuming [ReplayTable]
  ) throws(ReplayError) -> (entities: [RecoveredEntity<State>], finished: [String]) {
    var shares = shares
    let gaps = shares.flatMap { share in share.gaps.map { (place: share.beginnings[$0.key], error: $0.value) } }
    if let gap = gaps.min(by: { $0.place < $1.place }) { throw gap.error }
    var recovered: [RecoveredEntity<State>] = []
    var finished: [String] = []
    recovered.reserveCapacity(shares.reduce(0) { $0 + $1.sequences.count })
    var next = [Int](repeating: 0, count: shares.count)
    while let share = Self.first(of: shares, next) {
      let index = next[share]
      next[share] += 1
      let (key, sequence) = (shares[share].table.keys[index], shares[share].sequences[index])
      if sequence == Self.finished {
        finished.append(key)
      } else {
        recovered.append(RecoveredEntity(key: key, state: shares[share].take(index), sequence: sequence))
      }
    }
    return (recovered, finished)
  }

  /// The share whose next entity comes first; nil if none is left.
  @inlinable
  static func first(of shares: [ReplayTable], _ next: [Int]) -> Int? {
    var first: Int?
    var beginning = UInt64.max
    for share in next.indices where next[share] < shares[share].beginnings.count {
      let other = shares[share].beginnings[next[share]]
      if other < beginning { (first, beginning) = (share, other) }
    }
    return first
  }
}

/// The table of one share, as the thread has it that replays it.
///
/// Safe to share: it belongs to that thread, and when that has ended to who finishes.
public final class ReplayBox<State: RestorableState>: @unchecked Sendable {
  @usableFromInline @exclusivity(unchecked) var table: ReplayTable<State>

  @inlinable
  public init(_ table: ReplayTable<State>) { self.table = table }

  @inlinable
  public func apply(_ record: ReplayRecord) throws { try table.apply(record) }

  /// A record of the kind was erased lawfully.
  @inlinable
  public func noteErased() { table.erasedRecords += 1 }

  /// Gives the states away, so that whoever takes them need not copy.
  @inlinable
  public func take() -> ReplayTable<State> {
    let taken = table
    table = ReplayTable(kind: taken.kind)
    return taken
  }
}
