import CallbackDomain
import ChatDomain
public import EventSourcing
public import JournalFormat
import PushDomain

/// Everything in a journal that is one customer's: for the audit's timeline, and for redaction.
///
/// ```
///   subject ──names──> chats <──user key──> Comet sessions      1st pass: `collect` each record, then `close`
///           ──names──> callbacks  (as chats)                    2nd pass: `belongs` for each record
///                        ├──service id─> chats
///                        ├──producer──> pushes in queues
///                        └──user key──> devices
///           ──names──> installations ──scope──> messages in queues
///                        └──token──> device groups
///           ──names──> support users ──number──> requests, Comet sessions
///                                                  ├──producer──> pushes in queues
///                                                  ├──service id─> chats
///                                                  └──token──> stored files
/// ```
/// A subject is a user key, a service id, a chat session id, a Comet session's id, a device id, an android id, a
/// registration token, or a value of attached data such as an e-mail address, or of a callback's fields such as the
/// number to call, compared as it stands; of support, a user's e-mail, external id, SDK's id or device identifier,
/// `user:5` or `request:5`. What names a customer stays good: a chat that it found, found
/// by any name, brings along its user key's other chats and sessions. A device is no such name: it may have changed
/// hands, so it finds the chats and callbacks that were to be pushed to it, and through them their customers.
public struct SubjectScope: Sendable {
  public let subject: String
  /// The chats, callbacks, Comet sessions, devices and push queues that hold something of the customer; complete after
  /// `close`.
  public private(set) var entities: Set<EntityID> = []
  /// The user keys that the customer was found to have.
  public private(set) var userKeys: Set<String> = []

  var chats: [String: ChatTrace] = [:]
  var callbacks: [String: CallbackTrace] = [:]
  var sessions: [String: SessionTrace] = [:]
  /// The producers of each push queue.
  var producers: [String: Set<String>] = [:]
  /// Whom the pushes of a producer are for, if they say so.
  var ownersByProducer: [String: Set<String>] = [:]
  var devices: [String: DeviceTrace] = [:]
  /// The members that each device group has had.
  var groups: [String: Set<String>] = [:]
  /// Subscriptions and stored data, by their ids.
  var subscriptions: [String: DataTrace] = [:]
  var stored: [String: DataTrace] = [:]
  var support = SupportTraces()
  /// The devices that have checked in and are what was asked for.
  private(set) var installationKeys: Set<String> = []
  /// Their registrations, as messages name them.
  private(set) var mailScopes: Set<String> = []
  private let token: RegistrationToken?
  /// The producers of the customer's pushes that are no chats.
  private(set) var otherProducers: Set<String> = []
  private var chatKeys: Set<String> = []
  private var callbackKeys: Set<String> = []
  private var sessionKeys: Set<String> = []

  /// What the first pass keeps of one chat.
  struct ChatTrace: Sendable {
    var isNamed = false
    var userKeys: Set<String> = []
    var sessions: Set<String> = []
  }

  /// What the first pass keeps of one callback.
  struct CallbackTrace: Sendable {
    var isNamed = false
    var userKeys: Set<String> = []
  }

  /// What the first pass keeps of one Comet session.
  struct SessionTrace: Sendable {
    var isNamed = false
    var userKey: String?
    var serviceID: String?
  }

  /// What the first pass keeps of one device.
  struct DeviceTrace: Sendable {
    /// Its token is the subject.
    var isNamed = false
    var owners: Set<String> = []
  }

  /// What the first pass keeps of a subscription or of stored data.
  struct DataTrace: Sendable {
    var isNamed = false
    /// Whose it is, if it says so.
    var userKey: String?
    /// The service instance that it belongs to.
    var instance: String?
    /// The device that it is for.
    var device: String?
  }

  public init(subject: String) {
    self.subject = subject
    token = RegistrationToken(subject)
  }

  private static func links(of kind: UInt8) -> SubjectLinks? {
    guard case .links(let links)? = Catalogue.carillon[EntityKind(rawValue: kind)]?.linking else { return nil }
    return links
  }

  /// First pass: takes the next record of the journal. Redacted ones, and those of kinds without customers, say nothing.
  public mutating func collect(_ record: borrowing RecordView) {
    guard !record.isRedacted, let link = Self.links(of: record.kind) else { return }
    link.collect(&self, record.keyText, record.tag, record.payload)
  }

  /// Between the passes: follows the links until nothing new is found.
  public mutating func close() {
    chatKeys = Set(chats.filter { $0.value.isNamed || isSubject($0.key) }.keys)
    callbackKeys = Set(callbacks.filter { $0.value.isNamed || isSubject($0.key) }.keys)
    sessionKeys = Set(sessions.filter { $0.value.isNamed || isSubject($0.key) }.keys)
    if !subject.isEmpty { userKeys.insert(subject) }
    var found = -1
    while found != foundCount {
      found = foundCount
      support.follow(&chatKeys, among: chats, &userKeys)
      for (key, callback) in callbacks {
        if chatKeys.contains(key) || !callback.userKeys.isDisjoint(with: userKeys) { callbackKeys.insert(key) }
        guard callbackKeys.contains(key) else { continue }
        userKeys.formUnion(callback.userKeys)
        if chats[key] != nil { chatKeys.insert(key) }
      }
      for (key, chat) in chats {
        if !chat.userKeys.isDisjoint(with: userKeys) { chatKeys.insert(key) }
        guard chatKeys.contains(key) else { continue }
        userKeys.formUnion(chat.userKeys)
        sessionKeys.formUnion(chat.sessions)
      }
      for (key, session) in sessions {
        if session.userKey.map(userKeys.contains) == true || session.serviceID.map(chatKeys.contains) == true {
          sessionKeys.insert(key)
        }
        // Only what the subject itself names leads on from a session: who merely listened to a chat of the customer, with
        // its service id, may be somebody else, and what this scope holds may be erased.
        guard session.isNamed || isSubject(key) else { continue }
        if let userKey = session.userKey { userKeys.insert(userKey) }
        if let serviceID = session.serviceID, chats[serviceID] != nil { chatKeys.insert(serviceID) }
      }
    }
    let isKnownOwner =
      isSubject(devices.values.lazy.flatMap(\.owners).first { isSubject($0) })
      || isSubject(ownersByProducer.values.lazy.flatMap(\.self).first { isSubject($0) })
      || [subscriptions, stored].contains { $0.values.contains { isSubject($0.userKey) } }
    if chatKeys.isEmpty, callbackKeys.isEmpty, sessionKeys.isEmpty, support.count == 0, !isKnownOwner { userKeys = [] }
    otherProducers = Set(ownersByProducer.filter { !$0.value.isDisjoint(with: userKeys) }.keys).subtracting(chatKeys)
    entities = Set(subscriptions.keys.filter { holds(subscription: $0) }.map { EntityID(.subscription, $0) })
    otherProducers.formUnion(entities.map { NotificationService.prefix + $0.key })
    nameSubscribersDevices()
    entities.formUnion(stored.keys.filter { holds(stored: $0) }.map { EntityID(.stored, $0) })
    mailScopes = Set(producers.values.joined().filter { installationKeys.contains(Self.device(of: $0)) })
    entities.formUnion(chatKeys.map { EntityID(.chatSession, $0) })
    entities.formUnion(sessionKeys.map { EntityID(.cometSession, $0) })
    for (queue, producers) in producers where producers.contains(where: { holds(producer: $0) }) {
      entities.insert(EntityID(.pushQueue, queue))
    }
    for (key, device) in devices where device.isNamed || !device.owners.isDisjoint(with: userKeys) {
      entities.insert(EntityID(.device, key))
    }
    entities.formUnion(callbackKeys.map { EntityID(.callback, $0) })
    entities.formUnion(support.entities)
    entities.formUnion(installationKeys.map { EntityID(.installation, $0) })
    for (key, members) in groups where members.contains(where: { holds(token: $0) }) {
      entities.insert(EntityID(.deviceGroup, key))
    }
  }

  /// How much was found so far.
  private var foundCount: Int {
    chatKeys.count + callbackKeys.count + sessionKeys.count + userKeys.count + support.count
  }

  /// An address that nobody but the customer's subscriptions has given goes with them.
  private mutating func nameSubscribersDevices() {
    let others = Set(subscriptions.filter { !holds(subscription: $0.key) }.compactMap(\.value.device))
    for key in Set(subscriptions.filter { holds(subscription: $0.key) }.compactMap(\.value.device))
    where !others.contains(key) && devices[key]?.owners.isEmpty == true {
      if producers[key]?.allSatisfy({ holds(producer: $0) }) ?? true { devices[key]?.isNamed = true }
    }
  }

  /// Second pass: whether this record is about the customer. A redacted one belongs to nobody any more.
  public func belongs(_ record: borrowing RecordView) -> Bool {
    guard !record.isRedacted, let link = Self.links(of: record.kind) else { return false }
    return link.belongs(self, record.keyText, record.tag, record.payload)
  }

  /// Whether all that was ever put into this push queue came from the customer's chats.
  func isOnlyProducer(in queue: String) -> Bool { producers[queue]?.allSatisfy { holds(producer: $0) } ?? false }

  /// Whether this device was never anybody else's, or is what was asked for.
  func isOnlyOwner(of device: String) -> Bool {
    guard let trace = devices[device] else { return false }
    return trace.isNamed || (!trace.owners.isEmpty && trace.owners.isSubset(of: userKeys))
  }

  // MARK: For the links

  func isSubject(_ name: String?) -> Bool { !subject.isEmpty && name == subject }
  func holds(chat key: String) -> Bool { chatKeys.contains(key) }
  func holds(callback key: String) -> Bool { callbackKeys.contains(key) }
  func holds(producer: String) -> Bool {
    chatKeys.contains(producer) || otherProducers.contains(producer)
      || mailScopes.contains(producer) || Self.callback(of: producer).map(callbackKeys.contains) == true
      || support.holds(producer: producer)
  }
  /// Whose pushes they are that are no chats', as queues name them.
  var namedProducers: Set<String> {
    support.producers.union(mailScopes).union(callbackKeys.map { CallbackInterpreter.prefix + $0 })
  }
  /// The callback of a producer of pushes; nil if it is none.
  static func callback(of producer: String) -> String? {
    let prefix = CallbackInterpreter.prefix
    return producer.hasPrefix(prefix) ? String(producer.dropFirst(prefix.count)) : nil
  }
  func holds(token: String) -> Bool {
    RegistrationToken(token).map { installationKeys.contains(String($0.id.androidID)) } ?? false
  }
  func holds(subscription key: String) -> Bool { subscriptions[key].map(isTheirs) ?? false }
  func holds(stored key: String) -> Bool {
    stored[key].map { isTheirs($0) || support.files.contains(key) } ?? false
  }
  private func isTheirs(_ trace: DataTrace) -> Bool {
    trace.isNamed || trace.userKey.map(userKeys.contains) == true
      || trace.instance.map { holds(chat: $0) || holds(callback: $0) } == true
  }
  /// A device is what was asked for by its number, or by a token that it has given out.
  mutating func checkedIn(_ key: String, seed: [UInt8]?) {
    let isOfToken =
      token.map { String($0.id.androidID) == key && seed.map($0.isProved(by:)) == true } ?? false
    if isSubject(key) || isOfToken { installationKeys.insert(key) }
  }
  private static func device(of scope: String) -> String { String(scope.prefix { $0 != "/" }) }
  /// What a device's record says of the customer; also its end, if it was never anybody else's.
  func holds(device key: String, _ event: DeviceEvent) -> Bool {
    if isOnlyOwner(of: key) { return true }
    // The address in the place of this one is a device of its own.
    if case .replaced(let address) = event { return entities.contains(EntityID(.device, DeviceKey.of(address))) }
    return event.registrations.contains { $0.owner.map(userKeys.contains) ?? false }
  }
  func holds(session key: String) -> Bool { sessionKeys.contains(key) }
  /// The service ids of the customer's chats.
  public var serviceIDs: Set<String> { chatKeys }
}

extension DeviceGroupEvent {
  /// The registration tokens that a record holds.
  var tokens: [String] {
    switch self {
    case .created(_, let members), .changed(let members): members
    case .erased(let state): (try? DeviceGroup(stateBytes: state))?.members ?? []
    case .ended: []
    }
  }
}

extension DeviceEvent {
  /// The registrations that a record holds.
  var registrations: [DeviceRegistration] {
    switch self {
    case .registered(let registration), .moved(let registration): [registration]
    case .erased(let state): (try? Device(stateBytes: state))?.registration.map { [$0] } ?? []
    case .ended, .replaced, .renewed: []
    }
  }

  /// The addresses that it names.
  var addresses: [PushAddress] {
    if case .replaced(let address) = self { return [address] }
    return registrations.map(\.address)
  }
}

extension CallbackEvent {
  /// True if the event itself names the customer: by their key, their device, or what they filled in.
  func mentions(subject: String) -> Bool {
    guard !subject.isEmpty else { return false }
    return switch self {
    case .created(let request, _, _):
      subject == request.userKey || subject == request.device?.deviceID || request.fields.mention(subject)
    case .keyIssued(let key): subject == key
    case .fieldsChanged(let fields): fields.mention(subject)
    default: false
    }
  }

  /// The key that it gives the customer.
  var userKey: String? {
    switch self {
    case .created(let request, _, _): request.userKey
    case .keyIssued(let key): key
    case .erased(let state): (try? Callback(stateBytes: state))?.request?.userKey
    default: nil
    }
  }
}

extension [CallbackField] {
  /// Fields that say how the callback is to go, and nothing of whom it is for: many have the same values. Spec: GMS 9.1.
  private static var terms: Set<String> {
    [
      "_call_direction", "_media_type", "_wait_for_agent", "_wait_for_user_confirm", "_provide_code", "_device_os",
      "_language", "push_notification_type", "push_notification_language", "push_notification_provider",
      "push_notification_debug",
    ]
  }

  fileprivate func mention(_ subject: String) -> Bool {
    contains { $0.value == subject && !Self.terms.contains($0.name) }
  }
}
