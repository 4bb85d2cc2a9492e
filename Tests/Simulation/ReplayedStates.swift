import CallbackDomain
import ChatDomain
import Engine
import EventSourcing
import PushDomain
import SupportDomain

/// The states that the durable records give from the first on, with the domains' own `evolve` and nothing of the
/// engine's replay.
struct ReplayedStates {
  struct Entry<State: RestorableState> {
    var state = State()
    var sequence: UInt64 = 0
  }

  private(set) var chats: [String: Entry<ChatSession>] = [:]
  private(set) var queues: [String: Entry<PushQueue>] = [:]
  private(set) var desks: [String: Entry<AgentDesk>] = [:]
  private(set) var devices: [String: Entry<Device>] = [:]
  private(set) var installations: [String: Entry<Installation>] = [:]
  private(set) var groups: [String: Entry<DeviceGroup>] = [:]
  private(set) var broadcasts: [String: Entry<Broadcast>] = [:]
  private(set) var callbacks: [String: Entry<Callback>] = [:]
  private(set) var requests: [String: Entry<SupportRequest>] = [:]
  private(set) var users: [String: Entry<SupportUser>] = [:]
  private(set) var apps: [String: Entry<SupportApp>] = [:]

  mutating func apply(_ record: JournalMirror.Record) throws {
    switch EntityKind(rawValue: record.kind) {
    case .chatSession: try Self.apply(record, to: &chats)
    case .pushQueue: try Self.apply(record, to: &queues)
    case .agent: try Self.apply(record, to: &desks)
    case .device: try Self.apply(record, to: &devices)
    case .installation: try Self.apply(record, to: &installations)
    case .deviceGroup: try Self.apply(record, to: &groups)
    case .broadcast: try Self.apply(record, to: &broadcasts)
    case .callback: try Self.apply(record, to: &callbacks)
    case .supportRequest: try Self.apply(record, to: &requests)
    case .supportUser: try Self.apply(record, to: &users)
    case .supportApp: try Self.apply(record, to: &apps)
    default: break
    }
  }

  private static func apply<State: RestorableState>(
    _ record: JournalMirror.Record, to entries: inout [String: Entry<State>]
  ) throws {
    var entry = entries[record.key] ?? Entry<State>()
    guard record.sequence == entry.sequence + 1 else {
      throw Failure(
        .replayGivesTheSame, "\(record.key) has record \(record.sequence) behind \(entry.sequence)")
    }
    // The dictionary gives its state up meanwhile, so that nothing is copied.
    entries[record.key] = nil
    entry.sequence = record.sequence
    entry.state.evolve(
      try record.event(State.Event.self), at: Timestamp(milliseconds: record.timeMilliseconds))
    entries[record.key] = entry
  }

  /// Kind, key, number of the last event and state of everything that lives.
  var bytes: [EntityID: (sequence: UInt64, state: [UInt8])] {
    var all: [EntityID: (sequence: UInt64, state: [UInt8])] = [:]
    for (key, entry) in chats where !entry.state.isFinished {
      all[EntityID(.chatSession, key)] = (entry.sequence, entry.state.stateBytes)
    }
    for (key, entry) in queues { all[EntityID(.pushQueue, key)] = (entry.sequence, entry.state.stateBytes) }
    for (key, entry) in devices { all[EntityID(.device, key)] = (entry.sequence, entry.state.stateBytes) }
    for (key, entry) in desks { all[EntityID(.agent, key)] = (entry.sequence, entry.state.stateBytes) }
    for (key, entry) in installations { all[EntityID(.installation, key)] = (entry.sequence, entry.state.stateBytes) }
    for (key, entry) in groups { all[EntityID(.deviceGroup, key)] = (entry.sequence, entry.state.stateBytes) }
    for (key, entry) in broadcasts where !entry.state.isFinished {
      all[EntityID(.broadcast, key)] = (entry.sequence, entry.state.stateBytes)
    }
    for (key, entry) in callbacks where !entry.state.isFinished {
      all[EntityID(.callback, key)] = (entry.sequence, entry.state.stateBytes)
    }
    for (key, entry) in requests { all[EntityID(.supportRequest, key)] = (entry.sequence, entry.state.stateBytes) }
    for (key, entry) in users { all[EntityID(.supportUser, key)] = (entry.sequence, entry.state.stateBytes) }
    for (key, entry) in apps { all[EntityID(.supportApp, key)] = (entry.sequence, entry.state.stateBytes) }
    return all
  }
}
