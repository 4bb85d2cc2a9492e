package import EventSourcing

/// How the records of one kind of entity name customers, and each other; the kind's `EntityCard` has it.
package struct SubjectLinks: Sendable {
  package typealias Payload = UnsafeRawBufferPointer

  /// Notes what a record says: adds to what is known, whatever was noted before.
  let collect: @Sendable (_ scope: inout SubjectScope, _ key: String, EventTag, Payload) -> Void
  /// Whether a push to a device that is named by the subject names whose push it is.
  package let isNamedByPushes: Bool
  /// The names, as records have them, that a subject may be another spelling of.
  let spellings: @Sendable (_ subject: String) -> [String]
  /// Once the links are followed.
  let settle: @Sendable (_ scope: inout SubjectScope) -> Void
  /// Whether a record is about the customer of a closed scope; nil: all of an entity's are, if it is the customer's.
  let belongs: (@Sendable (_ scope: SubjectScope, _ key: String, EventTag, Payload) -> Bool)?
  /// Whether an erasure takes this record of an entity that is in it.
  let concerns: @Sendable (_ scope: ErasureScope, _ key: String, EventTag, Payload) -> Bool
  /// The other entities that a record tells of.
  package let about: (@Sendable (_ key: String, EventTag, Payload, Catalogue) -> [EntityID])?
  /// Adds what came after the journal was searched.
  let arrived: @Sendable (_ scope: inout ErasureScope, _ key: String, EventTag, Payload) -> Void

  package init(
    isNamedByPushes: Bool = false,
    collect: @escaping @Sendable (_ scope: inout SubjectScope, _ key: String, EventTag, Payload) -> Void,
    spellings: @escaping @Sendable (_ subject: String) -> [String] = { _ in [] },
    settle: @escaping @Sendable (_ scope: inout SubjectScope) -> Void = { _ in },
    belongs: (@Sendable (_ scope: SubjectScope, _ key: String, EventTag, Payload) -> Bool)? = nil,
    concerns: @escaping @Sendable (_ scope: ErasureScope, _ key: String, EventTag, Payload) -> Bool = { _, _, _, _ in
      true
    },
    arrived: @escaping @Sendable (_ scope: inout ErasureScope, _ key: String, EventTag, Payload) -> Void = {
      _, _, _, _ in
    },
    about: (@Sendable (_ key: String, EventTag, Payload, Catalogue) -> [EntityID])? = nil
  ) {
    self.isNamedByPushes = isNamedByPushes
    self.collect = collect
    self.spellings = spellings
    self.settle = settle
    self.belongs = belongs
    self.concerns = concerns
    self.arrived = arrived
    self.about = about
  }

  /// Nil for what this version cannot read.
  package static func decode<Event: JournaledEvent>(_ tag: EventTag, _ payload: Payload) -> Event? {
    var reader = PayloadReader(payload)
    return try? Event(tag: tag, payload: &reader)
  }
}
