/// One kind of long-lived thing: commands go in, events come out, effects follow from durable events.
///
/// ```
///   command ──decide──> events ──evolve──> state ──react──> effects (performed once the event is durable)
///                          └──journal──> replay: evolve, then `outstandingEffects`
/// ```
///
/// A value without I/O, clocks or randomness: time, ids and random bits arrive with the command.
public protocol Decider: Sendable {
  associatedtype Command: Sendable
  associatedtype Event: JournaledEvent
  associatedtype Rejection: Error, Equatable
  associatedtype Effect: Sendable, Equatable

  /// The state before the first event.
  init()

  /// Holds every rule. Returns the events that `command` causes, or none if it changes nothing.
  /// - Throws: what the sender is to be told.
  func decide(_ command: Command, now: Timestamp) throws(Rejection) -> [Event]

  /// Records `event`. Total: never fails, asks no questions.
  /// - Parameter time: when the event was decided, as the journal recorded it.
  mutating func evolve(_ event: Event, at time: Timestamp)

  /// Names what `event` causes outside. Asked just after `evolve`; performed once `event` is durable.
  func react(to event: Event) -> [Effect]

  /// What is still owed after a restart: timers to arm, pushes to hand over, in the order in which they fell due.
  var outstandingEffects: [Effect] { get }

  /// True once nothing can happen to this entity any more and its state may leave memory for good.
  var isFinished: Bool { get }
}

/// An event that the journal can hold: a frozen tag and a compact payload.
///
/// A stored event never changes its meaning. A new meaning is a new case with a new tag; the codec lifts the old one.
/// `Codable` serves the journal's tools only (they print events as JSON); the journal uses `encode(into:)`.
public protocol JournaledEvent: Sendable, Equatable, Codable {
  /// The frozen number of this event's case, unique within its entity kind. Never reused.
  var tag: EventTag { get }

  /// Writes the payload: explicit field numbers, varints. Spec: journal format 1, "Event payloads".
  func encode(into writer: inout PayloadWriter)

  /// Reads a payload written by `encode`; skips the fields that it does not know.
  init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError)

  /// True for an event that carries the whole state: what stood before it is not needed, and may have been erased.
  static func isRestatement(_ tag: EventTag) -> Bool
}

extension JournaledEvent {
  public static func isRestatement(_ tag: EventTag) -> Bool { false }
}

/// The frozen number of an event within its entity kind.
public typealias EventTag = UInt16
