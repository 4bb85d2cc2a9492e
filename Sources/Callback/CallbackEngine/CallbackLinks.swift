import CallbackDomain
import EngineKit
import EventSourcing
import OptionKit

extension SubjectLinks {
  /// Callback and chat have the same service id.
  static let callback = SubjectLinks(
    isNamedByPushes: true,
    collect: { scope, key, tag, payload in
      guard let event: CallbackEvent = decode(tag, payload) else { return }
      let isNamed = event.mentions(subject: scope.isSubject) || scope.isSubject(key)
      scope.note(.callback, key) { trace in
        trace.brings = .always
        if isNamed { trace.isNamed = true }
        if let userKey = event.userKey, !userKey.isEmpty { trace.owners.insert(userKey) }
        trace.follows.insert(EntityID(.chatSession, key))
        trace.leads.insert(EntityID(.chatSession, key))
      }
    })
}

extension CallbackEvent {
  /// True if the event itself names the customer: by their key, their device, or what they filled in.
  fileprivate func mentions(subject isSubject: (String?) -> Bool) -> Bool {
    switch self {
    case .created(let request, _, _):
      isSubject(request.userKey) || isSubject(request.device?.deviceID) || request.fields.mention(isSubject)
    case .keyIssued(let key): isSubject(key)
    case .fieldsChanged(let fields): fields.mention(isSubject)
    default: false
    }
  }

  /// The key that it gives the customer.
  fileprivate var userKey: String? {
    switch self {
    case .created(let request, _, _): request.userKey
    case .keyIssued(let key): key
    case .erased(let state): (try? Callback(stateBytes: state))?.request?.userKey
    default: nil
    }
  }
}

extension [NameValuePair] {
  /// Fields that say how the callback is to go, and nothing of whom it is for: many have the same values. Spec: GMS 9.1.
  private static var terms: Set<String> {
    let keys = CallbackOptions.keys
    return [
      keys.direction.name, keys.media.name, keys.waitsForAgent.name, keys.confirms.name, keys.providesCode.name,
      "_device_os",
      "_language", "push_notification_type", "push_notification_language", "push_notification_provider",
      "push_notification_debug",
    ]
  }

  fileprivate func mention(_ isSubject: (String?) -> Bool) -> Bool {
    contains { !Self.terms.contains($0.name) && isSubject($0.value) }
  }
}
