import CallbackDomain
import ChatDomain
public import EventSourcing
import PushDomain
import StorageDomain
import SupportDomain

/// What the journal's tools know of the kinds of entities: the same codecs and deciders as the server's.
public enum JournalKinds {
  /// A decoded event as something to encode, and the name of its case; nil if kind or tag is unknown, or the payload
  /// cannot be read.
  public static func describe(
    kind: EntityKind, tag: EventTag, payload: UnsafeRawBufferPointer
  ) -> (name: String, event: any Encodable)? {
    switch kind {
    case .chatSession: describe(ChatEvent.self, tag, payload)
    case .cometSession: describe(CometRecord.Event.self, tag, payload)
    case .pushQueue: describe(PushEvent.self, tag, payload)
    case .agent: describe(AgentDesk.Event.self, tag, payload)
    case .redactionLog: describe(RedactionLog.Event.self, tag, payload)
    case .device: describe(DeviceEvent.self, tag, payload)
    case .installation: describe(InstallationEvent.self, tag, payload)
    case .deviceGroup: describe(DeviceGroupEvent.self, tag, payload)
    case .broadcast: describe(BroadcastEvent.self, tag, payload)
    case .callback: describe(CallbackEvent.self, tag, payload)
    case .subscription: describe(SubscriptionEvent.self, tag, payload)
    case .stored: describe(StorageEvent.self, tag, payload)
    case .supportRequest: describe(SupportRequestEvent.self, tag, payload)
    case .supportUser: describe(SupportUserEvent.self, tag, payload)
    case .supportApp: describe(SupportAppEvent.self, tag, payload)
    default: nil
    }
  }

  /// An empty state of this kind, to be fed the records of one entity; nil for an unknown kind.
  public static func replayer(kind: EntityKind) -> (any EntityReplayer)? {
    switch kind {
    case .chatSession: StateReplayer<ChatSession>()
    case .cometSession: StateReplayer<CometRecord>()
    case .pushQueue: StateReplayer<PushQueue>()
    case .agent: StateReplayer<AgentDesk>()
    case .redactionLog: StateReplayer<RedactionLog>()
    case .device: StateReplayer<Device>()
    case .installation: StateReplayer<Installation>()
    case .deviceGroup: StateReplayer<DeviceGroup>()
    case .broadcast: StateReplayer<Broadcast>()
    case .callback: StateReplayer<Callback>()
    case .subscription: StateReplayer<Subscription>()
    case .stored: StateReplayer<StoredData>()
    case .supportRequest: StateReplayer<SupportRequest>()
    case .supportUser: StateReplayer<SupportUser>()
    case .supportApp: StateReplayer<SupportApp>()
    default: nil
    }
  }

  private static func describe<Event: JournaledEvent>(
    _ type: Event.Type, _ tag: EventTag, _ payload: UnsafeRawBufferPointer
  ) -> (name: String, event: any Encodable)? {
    var reader = PayloadReader(payload)
    guard let event = try? Event(tag: tag, payload: &reader) else { return nil }
    let name = Mirror(reflecting: event).children.first?.label ?? "\(event)"
    return (name, event)
  }
}

/// Rebuilds the state of one entity outside the server.
public protocol EntityReplayer {
  /// Applies the entity's next record. - Throws: `PayloadError`.
  mutating func apply(time: Timestamp, tag: EventTag, payload: UnsafeRawBufferPointer) throws
  /// The state after the records so far.
  var state: any Encodable { get }
}

private struct StateReplayer<State: Decider & Encodable>: EntityReplayer {
  private var current = State()

  mutating func apply(time: Timestamp, tag: EventTag, payload: UnsafeRawBufferPointer) throws {
    var reader = PayloadReader(payload)
    current.evolve(try State.Event(tag: tag, payload: &reader), at: time)
  }

  var state: any Encodable { current }
}
