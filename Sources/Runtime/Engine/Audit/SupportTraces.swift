import EventSourcing
import PushDomain
import SupportDomain

/// What the first pass of a subject's scope keeps of support: people, and their requests.
///
/// A user leads to the requests that they have made, and a request to the chat that it comes from. Who has given
/// somebody's e-mail in a chat is taken for them; but only that chat's request follows from it, and a person whom an
/// agent has written for: what a chat says must not lead to somebody for whom an app vouches.
struct SupportTraces: Sendable {
  struct UserTrace: Sendable {
    var isNamed = false
    /// They have never signed in.
    var isContact = false
  }

  struct RequestTrace: Sendable {
    var isNamed = false
    /// The key of the user.
    var requester: String?
    /// The service id of the chat that it comes from.
    var chat: String?
    /// The stored data that its files are.
    var files: Set<String> = []
  }

  var users: [String: UserTrace] = [:]
  var requests: [String: RequestTrace] = [:]
  /// Those that are the customer's; complete once `follow` finds nothing new.
  private(set) var userKeys: Set<String> = []
  private(set) var requestKeys: Set<String> = []
  /// The stored data that the files of these requests are.
  private(set) var files: Set<String> = []

  var count: Int { userKeys.count + requestKeys.count }
  /// Whose pushes the customer's are, as queues name them.
  var producers: Set<String> { Set(requestKeys.map { SupportService.prefix + $0 }) }
  var entities: [EntityID] {
    userKeys.map { EntityID(.supportUser, $0) } + requestKeys.map { EntityID(.supportRequest, $0) }
  }

  func holds(producer: String) -> Bool { Self.request(of: producer).map(requestKeys.contains) == true }

  /// The request of a producer of pushes; nil if it is none.
  static func request(of producer: String) -> String? {
    let prefix = SupportService.prefix
    return producer.hasPrefix(prefix) ? String(producer.dropFirst(prefix.count)) : nil
  }

  /// Follows the links one step.
  /// - Parameters:
  ///   - chats: the customer's.
  ///   - known: all that there are.
  ///   - names: the user keys of the customer.
  mutating func follow(
    _ chats: inout Set<String>, among known: [String: SubjectScope.ChatTrace], _ names: inout Set<String>
  ) {
    for (key, request) in requests {
      if request.isNamed || request.requester.map(userKeys.contains) == true || request.chat.map(chats.contains) == true
      {
        requestKeys.insert(key)
      }
      guard requestKeys.contains(key) else { continue }
      files.formUnion(request.files)
      if let chat = request.chat, known[chat] != nil { chats.insert(chat) }
      if let requester = request.requester, request.isNamed || users[requester]?.isContact == true {
        userKeys.insert(requester)
      }
    }
    for (key, user) in users {
      let name = ReservedUserKey.prefix + key
      if user.isNamed || names.contains(name) { userKeys.insert(key) }
      if userKeys.contains(key) { names.insert(name) }
    }
  }
}

extension SubjectScope {
  /// Whether somebody is named by the subject: by e-mail, by the id of the app's back end or that of the SDK. Agents
  /// are nobody's customers.
  func names(_ identity: SupportIdentity) -> Bool {
    if identity.role == .endUser, let email = identity.email, isSubject(ignoringCase: email) { return true }
    return switch identity.key {
    case .anonymous(_, let guid): isSubject(guid)
    case .verified(let id): isSubject(id) || isSubject(ignoringCase: String(id.drop { $0 != ":" }.dropFirst()))
    case .contact(let id): isSubject(ignoringCase: id)
    case .agent: false
    }
  }

  /// Whether a device is named by the subject, however that is spelt.
  func names(_ device: SupportDevice) -> Bool {
    isSubject(device.identifier)
      || (try? DeviceIdentifier.cleaned(subject, type: device.platform.name)) == device.identifier
  }

  private func isSubject(ignoringCase name: String) -> Bool {
    isSubject(name) || (!subject.isEmpty && name.lowercased() == subject.lowercased())
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
