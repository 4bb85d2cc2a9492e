import EventSourcing
import PushDomain
import SupportDomain

/// Support requests, their people and devices, as their records tell it, by rules of its own.
struct SupportLedger {
  /// Where in the journal, and in which epoch (see `World.epoch`): what happens within one epoch may be under way at once.
  struct Place {
    let position: UInt64
    let epoch: Int
  }

  /// How an app's notifications go out.
  struct AppTrack {
    var integration: SupportIntegration?
    var since = 0
    /// The URL that an operator has set, if one has.
    var url: String?
    var urlSince = 0
  }

  private(set) var requests: [String: SupportRequestTrack] = [:]
  private(set) var users: [String: SupportUserTrack] = [:]
  private(set) var apps: [String: AppTrack] = [:]
  /// Who has registered an address and not ended it since; whoever did so last has it.
  private var holders: [SupportDevice.Key: [Holder]] = [:]
  /// Behind which place the latest attempt of a push was written down: what stands before it was there already.
  private(set) var attempts: [PushID: UInt64] = [:]
  /// Requests whose last turn has a comment to be told of that is neither planned nor put off.
  private var open: Set<String> = []

  /// Addresses and users about whose devices something was asked, and in which epoch: the engine may know already what
  /// the journal does not have yet.
  private var touched: [String: Int] = [:]

  private struct Holder: Equatable {
    let user: String
    let device: Int
  }

  /// As queues name whose pushes they are.
  static func producer(_ request: String) -> String { "request/\(request)" }
  static func request(ofProducer producer: String) -> String? {
    producer.hasPrefix("request/") ? String(producer.dropFirst("request/".count)) : nil
  }

  /// The operator has changed the configuration.
  mutating func configure(_ app: String, _ integration: SupportIntegration?, epoch: Int) {
    apps[app, default: AppTrack()].integration = integration
    apps[app]?.since = epoch
  }

  /// - Parameter name: an address, or the number of a user.
  mutating func touch(_ name: String, epoch: Int) { touched[name] = epoch }

  // MARK: Records

  mutating func apply(_ event: SupportAppEvent, of app: String, _ place: Place) {
    switch event {
    case .webhookSet(let webhook, _): setURL(webhook.url, of: app, place)
    case .webhookCleared: setURL(nil, of: app, place)
    case .integrationChanged, .restated: break
    }
  }

  private mutating func setURL(_ url: String?, of app: String, _ place: Place) {
    apps[app, default: AppTrack()].url = url
    apps[app]?.urlSince = place.epoch
  }

  mutating func apply(_ event: SupportUserEvent, of user: String, at time: Timestamp, _ place: Place) throws {
    try users[user, default: SupportUserTrack()].apply(event, at: time, place)
    guard let track = users[user] else { return }
    switch event {
    case .deviceRegistered(let device): hold(device.key, Holder(user: user, device: device.id))
    case .deviceRefreshed(let id, _):
      if let device = track.devices[id] { hold(device.key, Holder(user: user, device: id)) }
    case .deviceEnded(let id, _):
      if let key = track.devices[id]?.key { holders[key]?.removeAll { $0 == Holder(user: user, device: id) } }
    case .erased:
      for key in Array(holders.keys) { holders[key]?.removeAll { $0.user == user && track.devices[$0.device] == nil } }
    case .identified, .identityChanged, .tokenIssued, .tokenUsed, .tokenEnded: break
    }
  }

  private mutating func hold(_ key: SupportDevice.Key, _ holder: Holder) {
    holders[key, default: []].removeAll { $0 == holder }
    holders[key]?.append(holder)
  }

  mutating func apply(
    _ event: SupportRequestEvent, of key: String, at time: Timestamp, _ place: Place, clock: Int,
    isAccepted: (PushID) -> Bool
  ) throws {
    try requests[key, default: SupportRequestTrack()].apply(event, at: time, clock: clock)
    guard let request = requests[key] else { return }
    if !request.untold.isEmpty { open.insert(key) }
    switch event {
    case .notificationPlanned(let comment, let duties): try checkPlan(comment, duties, of: request, place)
    case .notificationSuppressed(_, .noDevices, _):
      let missed = steadyDevices(of: request, place.epoch)
      if !missed.isEmpty { throw Failure(.commentIsTold, "nobody is told, and there are the devices \(missed)") }
    case .handedOver(let number):
      guard case .notify(_, let part)? = request.duties[number] else { break }
      let id = PushID(producer: Self.producer(key), number: number)
      if !isAccepted(id), isBinding(part, of: request, place.epoch) {
        throw Failure(.commentIsTold, "notification \(number) is let go, and no queue has it")
      }
    default: break
    }
  }

  mutating func attemptBegan(_ id: PushID, after earliest: UInt64) { attempts[id] = earliest }

  /// A notification ended unsent: for a reason that holds.
  func settled(_ id: PushID, _ outcome: FinalPushOutcome, epoch: Int) throws {
    guard case .refused(let reason) = outcome, let (request, part) = notification(id) else { return }
    switch reason {
    case "no device is registered any more", "the device was unregistered", "the app has another integration now":
      if isBinding(part, of: request, epoch) { throw Failure(.commentIsTold, "push \(id.number) ends: \(reason)") }
    default: break
    }
  }

  /// What holds once all records of a group commit are in, and so whole turns.
  mutating func check(epoch: Int) throws {
    for key in open {
      guard let request = requests[key], !request.untold.isEmpty else { continue }
      requests[key]?.untold = []
      guard let app = request.app.flatMap({ apps[$0] }), app.integration != nil, app.since < epoch else { continue }
      throw Failure(.commentIsTold, "request \(key): comments \(request.untold.sorted()) are told to nobody")
    }
    open = []
  }

  // MARK: Who is to be told

  private func checkPlan(
    _ comment: Int, _ duties: [SupportDuty], of request: SupportRequestTrack, _ place: Place
  ) throws {
    var planned: Set<Int> = []
    for case .notify(_, let part) in duties.map(\.kind) {
      for id in part.devices where !planned.insert(id).inserted {
        throw Failure(.toldOnce, "device \(id) is told of comment \(comment) twice")
      }
      for id in part.devices {
        guard let device = users[request.requester]?.devices[id], device.app == request.app,
          device.key.address == part.integration.address
        else { throw Failure(.toldWhoFits, "device \(id) is told of comment \(comment) and does not fit") }
        if let end = device.ended, end.epoch < place.epoch {
          throw Failure(.toldWhoFits, "device \(id) is told of comment \(comment) and has ended")
        }
      }
    }
    let refreshed = request.refreshed[comment] ?? []
    if let device = refreshed.intersection(planned).min() {
      throw Failure(.toldWhoFits, "device \(device) is told of comment \(comment) and has shown it")
    }
    let missed = steadyDevices(of: request, place.epoch).subtracting(planned).subtracting(refreshed)
    if !missed.isEmpty { throw Failure(.commentIsTold, "the devices \(missed.sorted()) miss comment \(comment)") }
  }

  /// Those that fit, and whose standing nothing of this epoch has touched.
  private func steadyDevices(of request: SupportRequestTrack, _ epoch: Int) -> Set<Int> {
    guard let name = request.app, let app = apps[name], let integration = app.integration, app.since < epoch,
      let devices = users[request.requester]?.devices
    else { return [] }
    return Set(
      devices.filter { id, device in
        device.app == name && device.key.address == integration.address && isSteady(id, of: request.requester, epoch)
      }.keys)
  }

  /// Live since before this epoch, and undisputed.
  func isSteady(_ id: Int, of user: String, _ epoch: Int) -> Bool {
    guard let device = users[user]?.devices[id], device.ended == nil, device.registered.epoch < epoch,
      holders[device.key]?.last == Holder(user: user, device: id), touched[user] != epoch,
      touched[device.key.identifier] != epoch
    else { return false }
    return !users.contains { other, track in
      other != user
        && track.devices.values.contains { $0.key == device.key && $0.registered.epoch >= device.registered.epoch }
    }
  }

  /// Whether somebody else had the address when something was written down.
  func isOthers(_ id: Int, of user: String, before position: UInt64) -> Bool {
    guard let device = users[user]?.devices[id], let last = holders[device.key]?.last, last.user != user else {
      return false
    }
    return users[last.user]?.devices[last.device].map { $0.registered.position < position } ?? false
  }

  /// A notification that nothing excuses from being sent.
  private func isBinding(_ part: SupportPartDraft, of request: SupportRequestTrack, _ epoch: Int) -> Bool {
    guard !request.isErased, let app = request.app.flatMap({ apps[$0] }), app.since < epoch,
      app.integration == part.integration
    else { return false }
    return part.devices.contains { isSteady($0, of: request.requester, epoch) }
  }

  func notification(_ id: PushID) -> (request: SupportRequestTrack, part: SupportPartDraft)? {
    guard let request = Self.request(ofProducer: id.producer).flatMap({ requests[$0] }),
      case .notify(_, let part)? = request.duties[id.number]
    else { return nil }
    return (request, part)
  }

  /// Addresses that more than one has.
  var disputed: [SupportDevice.Key] { holders.filter { $0.value.count > 1 }.map(\.key) }
}
