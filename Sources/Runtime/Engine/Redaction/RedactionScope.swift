import ChatDomain
import EventSourcing
import Foundation
import JournalFormat
import PushDomain

/// Which records a redaction is about, so that it can be carried out again after a crash, when what led to them has been
/// erased in part.
struct RedactionScope: Codable, Equatable {
  var chats: Set<String> = []
  var callbacks: Set<String> = []
  var sessions: Set<String> = []
  /// Queues that hold pushes of these chats and callbacks.
  var queues: Set<String> = []
  /// Queues that nobody else is pushed through: what is about the address goes too.
  var ownQueues: Set<String> = []
  /// Producers of pushes for the customer that are no chats.
  var producers: Set<String> = []
  /// Devices that are or were the customer's.
  var devices: Set<String> = []
  /// Devices that were nobody else's, or whose token is what was asked for: every record of them goes.
  var ownDevices: Set<String> = []
  /// The names by which the customer owns devices.
  var owners: Set<String> = []
  /// Devices that have checked in: everything of them goes. Their messages' scopes are among `producers`.
  var installations: Set<String> = []
  /// Device groups that hold tokens of theirs.
  var groups: Set<String> = []
  /// Subscriptions and stored data of theirs.
  var subscriptions: Set<String> = []
  var stored: Set<String> = []
  /// Support requests of theirs, and themselves as users of it.
  var supportRequests: Set<String> = []
  var supportUsers: Set<String> = []

  init(_ subject: SubjectScope) {
    producers = subject.otherProducers
    owners = subject.userKeys
    installations = subject.installationKeys
    producers.formUnion(subject.namedProducers)
    for entity in subject.entities {
      switch entity.kind {
      case .chatSession: chats.insert(entity.key)
      case .callback: callbacks.insert(entity.key)
      case .cometSession: sessions.insert(entity.key)
      case .pushQueue:
        queues.insert(entity.key)
        if subject.isOnlyProducer(in: entity.key) { ownQueues.insert(entity.key) }
      case .device:
        devices.insert(entity.key)
        if subject.isOnlyOwner(of: entity.key) { ownDevices.insert(entity.key) }
      case .deviceGroup: groups.insert(entity.key)
      case .subscription: subscriptions.insert(entity.key)
      case .stored: stored.insert(entity.key)
      case .supportRequest: supportRequests.insert(entity.key)
      case .supportUser: supportUsers.insert(entity.key)
      default: break
      }
    }
  }

  /// A plan of an earlier version knows of no devices, of none that check in, of no callbacks, or of no support.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func keys(_ key: CodingKeys) throws -> Set<String> {
      try container.decodeIfPresent(Set<String>.self, forKey: key) ?? []
    }
    chats = try keys(.chats)
    callbacks = try keys(.callbacks)
    sessions = try keys(.sessions)
    queues = try keys(.queues)
    ownQueues = try keys(.ownQueues)
    producers = try keys(.producers)
    devices = try keys(.devices)
    ownDevices = try keys(.ownDevices)
    owners = try keys(.owners)
    installations = try keys(.installations)
    groups = try keys(.groups)
    subscriptions = try keys(.subscriptions)
    stored = try keys(.stored)
    supportRequests = try keys(.supportRequests)
    supportUsers = try keys(.supportUsers)
  }

  var isEmpty: Bool { entityCount == 0 }
  var entityCount: Int {
    chats.count + sessions.count + queues.count + devices.count + installations.count + groups.count
      + callbacks.count + subscriptions.count + stored.count + supportRequests.count + supportUsers.count
  }
  /// Whose pushes go.
  var allProducers: Set<String> { chats.union(producers) }

  /// Whether a record holds something of the customer that is to go.
  ///
  /// - Parameter restatements: for each entity the position of the last event that restates it without the customer's
  ///   content: that event stays, and what came after it too, since it is not about what was erased.
  func covers(_ record: borrowing RecordView, restatements: [EntityID: UInt64]) -> Bool {
    guard !record.isRedacted else { return false }
    let kind = EntityKind(rawValue: record.kind)
    let key = record.keyText
    switch kind {
    case .cometSession:
      return sessions.contains(key)
    case .chatSession:
      guard chats.contains(key) else { return false }
    case .callback:
      guard callbacks.contains(key) else { return false }
    case .pushQueue:
      guard queues.contains(key), concerns(record, queue: key) else { return false }
    case .device:
      guard devices.contains(key), concerns(record, device: key) else { return false }
    case .installation:
      guard installations.contains(key) else { return false }
    case .deviceGroup:
      guard groups.contains(key), concerns(group: record) else { return false }
    case .subscription:
      guard subscriptions.contains(key) else { return false }
    case .stored:
      guard stored.contains(key) else { return false }
    case .supportRequest:
      guard supportRequests.contains(key) else { return false }
    case .supportUser:
      guard supportUsers.contains(key) else { return false }
    default:
      return false
    }
    guard let last = restatements[EntityID(kind, key)] else { return true }
    return record.position < last
  }

  /// Whether a message's scope, or a registration token, is of one of the installations.
  func holds(scope: String) -> Bool { installations.contains(String(scope.prefix { $0 != "/" })) }
  func holds(token: String) -> Bool {
    RegistrationToken(token).map { installations.contains(String($0.id.androidID)) } ?? false
  }

  /// Adds a support request, with the files that it has now.
  mutating func add(request key: String, files: [String]) {
    supportRequests.insert(key)
    producers.insert(SupportService.prefix + key)
    stored.formUnion(files)
  }

  /// Adds what came after the journal was searched: the queue of a push of one of the chats, or of a message of one of
  /// the installations; a group that one of those joined.
  mutating func add(_ record: borrowing RecordView) {
    guard !record.isRedacted else { return }
    if EntityKind(rawValue: record.kind) == .deviceGroup, concerns(group: record) {
      groups.insert(record.keyText)
    }
    guard EntityKind(rawValue: record.kind) == .pushQueue else { return }
    var payload = PayloadReader(record.payload)
    guard let event = try? PushEvent(tag: record.tag, payload: &payload) else { return }
    let theirs = event.producers.filter { allProducers.contains($0) || holds(scope: $0) }
    guard !theirs.isEmpty else { return }
    queues.insert(record.keyText)
    producers.formUnion(theirs.filter { !chats.contains($0) })
  }

  private func concerns(_ record: borrowing RecordView, queue key: String) -> Bool {
    var payload = PayloadReader(record.payload)
    guard let event = try? PushEvent(tag: record.tag, payload: &payload) else { return false }
    let producers = event.producers
    if !producers.isEmpty { return producers.allSatisfy(allProducers.contains) }
    if PushEvent.isRestatement(record.tag) { return event.holdsMessages(of: allProducers) }
    return ownQueues.contains(key)
  }

  private func concerns(group record: borrowing RecordView) -> Bool {
    var payload = PayloadReader(record.payload)
    guard let event = try? DeviceGroupEvent(tag: record.tag, payload: &payload) else {
      return false
    }
    return event.tokens.contains { holds(token: $0) }
  }

  private func concerns(_ record: borrowing RecordView, device key: String) -> Bool {
    if ownDevices.contains(key) { return true }
    var payload = PayloadReader(record.payload)
    guard let event = try? DeviceEvent(tag: record.tag, payload: &payload) else { return false }
    // The address in the place of this one is a device of its own.
    if case .replaced(let address) = event { return devices.contains(DeviceKey.of(address)) }
    return event.registrations.contains { $0.owner.map(owners.contains) ?? false }
  }
}

/// What is written down before a redaction changes anything: after a crash it is carried out to its end.
struct RedactionPlan: Codable, Equatable {
  var id: String
  var by: String
  var reason: String
  /// Milliseconds since 1970.
  var requestedAt: Int64
  var scope: RedactionScope
  /// Records found when it was planned.
  var records: Int
  /// The journal was searched up to here.
  var searchedUpTo: UInt64
}
