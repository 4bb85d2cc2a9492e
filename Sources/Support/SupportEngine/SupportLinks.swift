import EngineKit
import EventSourcing
import PushDomain
import SupportDomain

/// A user leads to the requests that they have made, and a request to the chat that it comes from. Who has given
/// somebody's e-mail in a chat is taken for them; but only that chat's request follows from it, and a person whom an
/// agent has written for: what a chat says must not lead to somebody for whom an app vouches.
extension SubjectLinks {
  static let supportRequest = SubjectLinks(collect: { scope, key, tag, payload in
    guard let event: SupportRequestEvent = decode(tag, payload) else { return }
    let isNamed = scope.isSubject(EntityID(.supportRequest, key).description)
    scope.note(.supportRequest, key) { trace in
      trace.brings = .always
      if isNamed { trace.isNamed = true }
      trace.leads.formUnion(event.files.map { EntityID(.stored, $0) })
      guard let terms = event.terms else { return }
      let requester = EntityID(.supportUser, String(terms.requester))
      trace.follows.insert(requester)
      trace.hints.insert(requester)
      guard let chat = terms.transcript?.serviceID else { return }
      trace.follows.insert(EntityID(.chatSession, chat))
      trace.leads.insert(EntityID(.chatSession, chat))
    }
  })

  static let supportUser = SubjectLinks(
    collect: { scope, key, tag, payload in
      guard let event: SupportUserEvent = decode(tag, payload) else { return }
      let isNamed =
        scope.isSubject(EntityID(.supportUser, key).description) || event.identity.map(scope.names) == true
        || event.devices.contains(where: scope.names)
      scope.note(.supportUser, key) { trace in
        trace.brings = .always
        trace.owners.insert(ReservedUserKey.prefix + key)
        if isNamed { trace.isNamed = true }
        // They have never signed in.
        if case .contact? = event.identity?.key { trace.isOpen = true }
      }
    },
    spellings: { subject in
      SupportDevice.Platform.allCases.compactMap { try? DeviceIdentifier.cleaned(subject, type: $0.name) }
    })
}

extension SubjectScope {
  /// Whether somebody is named by the subject: by e-mail, by the id of the app's back end or that of the SDK. Agents
  /// are nobody's customers.
  fileprivate func names(_ identity: SupportIdentity) -> Bool {
    if identity.role == .endUser, let email = identity.email, isSubject(ignoringCase: email) { return true }
    return switch identity.key {
    case .anonymous(_, let guid): isSubject(guid)
    case .verified(let id): isSubject(id) || isSubject(ignoringCase: String(id.drop { $0 != ":" }.dropFirst()))
    case .contact(let id): isSubject(ignoringCase: id)
    case .agent: false
    }
  }

  /// Whether a device is named by the subject, however that is spelt.
  fileprivate func names(_ device: SupportDevice) -> Bool {
    isSubject(device.identifier)
      || (try? DeviceIdentifier.cleaned(subject, type: device.platform.name)) == device.identifier
  }
}

extension SupportUserEvent {
  /// What a record says of who somebody is.
  var identity: SupportIdentity? {
    switch self {
    case .identified(let identity), .identityChanged(let identity): identity
    case .erased(let state): (try? SupportUser(stateBytes: state))?.identity
    case .tokenIssued, .tokenUsed, .tokenEnded, .deviceRegistered, .deviceRefreshed, .deviceEnded: nil
    }
  }

  /// The devices that a record describes.
  var devices: [SupportDevice] {
    switch self {
    case .deviceRegistered(let device): [device]
    case .erased(let state): (try? SupportUser(stateBytes: state))?.devices ?? []
    case .identified, .identityChanged, .tokenIssued, .tokenUsed, .tokenEnded, .deviceRefreshed, .deviceEnded: []
    }
  }
}

extension SupportRequestEvent {
  var terms: SupportRequestTerms? {
    switch self {
    case .created(let terms, _, _, _, _): terms
    case .erased(let state): (try? SupportRequest(stateBytes: state))?.terms
    default: nil
    }
  }

  /// The stored data that a record names.
  var files: [String] {
    switch self {
    case .created(_, let comment, _, _, _), .commentAdded(let comment, _, _): comment.attachments.map(\.token)
    case .erased(let state): (try? SupportRequest(stateBytes: state)).map { $0.files } ?? []
    default: []
    }
  }
}

extension SupportRequest {
  /// The stored data that its files are, those that are to be dropped too.
  var files: [String] { comments.flatMap(\.attachments).map(\.token) + orphans }
}
