import EngineKit
import EventSourcing
import PushDomain
import PushEngine
import SupportDomain

/// Tells of the people of support requests. Of identifiers and tokens nothing is shown but the beginning of a hash.
struct SupportUserNarrator: Narrator {
  private var users: [String: Trace] = [:]

  /// What later events of a user refer to.
  private struct Trace {
    var name: String
    var isKnown = false
    /// Every device that there was, as it is shown.
    var devices: [Int: String] = [:]
  }

  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: SupportUserEvent = Self.decode(tag, payload), let key = blank.entity?.key else { return nil }
    var trace = users[key] ?? Trace(name: "user \(key)")
    var entry = blank
    switch event {
    case .identified(let identity), .identityChanged(let identity):
      trace.name = identity.shownName ?? "user \(key)"
      people.learn(trace.name, userKey: ReservedUserKey.prefix + key)
      entry.what = Self.introduction(event, identity, isKnown: trace.isKnown)
      entry.text = identity.email
      if identity.email != nil { entry.what += ", with the e-mail" }
      trace.isKnown = true
      entry.who = trace.name
    case .tokenIssued(let token, let usedID):
      entry.who = trace.name
      entry.what = "signs in to \(token.app)"
      if usedID != nil { entry.remark = ": its back end vouches" }
    case .tokenUsed:
      entry.who = trace.name
      entry.what = "is there, with a token of before"
      entry.isDetail = true
    case .tokenEnded:
      entry.who = trace.name
      entry.what = "has too many tokens: the one that was not used for longest ends"
      entry.isDetail = true
    case .deviceRegistered(let device):
      let isBack = trace.devices.updateValue(device.shown, forKey: device.id) != nil
      entry.who = trace.name
      entry.what = "registers device \(device.id)" + (isBack ? " again" : "") + ": \(device.shown)"
      entry.remark = " of \(device.app), in \(device.locale)"
    case .deviceRefreshed(let id, let locale):
      entry.who = trace.name
      entry.what = "shows device \(id) again, in \(locale)"
      entry.isDetail = true
    case .deviceEnded(let id, let reason):
      let device = "device \(id)" + (trace.devices[id].map { " (\($0))" } ?? "")
      (entry.who, entry.what) = reason.sentence(trace.name, device)
    case .erased(let state):
      let identity = (try? SupportUser(stateBytes: state))?.identity
      if identity == nil { trace = Trace(name: "user \(key)") }
      (entry.who, entry.what) =
        identity == nil ? ("operator", "has erased who it was, and its devices") : (trace.name, "states itself anew")
      entry.isDetail = identity != nil
    }
    users[key] = trace
    return [entry]
  }

  private static func introduction(
    _ event: SupportUserEvent, _ identity: SupportIdentity, isKnown: Bool
  ) -> String {
    if case .identityChanged = event { return "says to be somebody else: tokens and devices end" }
    if isKnown { return "has another name or e-mail" }
    return switch identity.key {
    case .anonymous(let app, _): "is new, and anonymous in \(app)"
    case .verified: "is new: the app's back end vouches"
    case .agent(let name): "is new: the agent \(name)"
    case .contact: "is new: somebody wrote for them"
    }
  }
}

extension SupportIdentity {
  /// An agent's is the name of its token, unless it has a public one.
  fileprivate var shownName: String? {
    if let name, !name.isEmpty { return name }
    if case .agent(let name) = key { return name }
    return nil
  }
}

extension SupportDevice {
  /// `ios #1a2b3c4d`.
  fileprivate var shown: String {
    let channel = address == .airshipChannel ? " channel" : ""
    return PushAddress(type: platform.name + channel, deviceID: identifier).shown
  }
}

extension SupportDevice.Reason {
  /// Who has ended a device, and how. - Parameter name: its user's.
  fileprivate func sentence(_ name: String, _ device: String) -> (who: String, what: String) {
    switch self {
    case .user: (name, "unregisters \(device)")
    case .bulk: ("back end", "unregisters \(device)")
    case .provider: ("push", "\(device) is gone, says the push service")
    case .evicted: ("server", "lets \(device) go: there are too many")
    case .identityChanged: ("server", "lets \(device) go: it was registered by another identity")
    case .moved: ("server", "lets \(device) go: it was registered anew, by somebody else or for another app")
    }
  }
}
