/// What a section holds, told from its name. Spec: GMS 8.1.
package enum SectionKind: String, Sendable, Hashable, CaseIterable {
  /// `server`: the process.
  case server
  /// `push`: defaults of all notifications.
  case push
  /// `push.provider.<name>`: credentials of a named provider.
  case pushProvider
  /// `push.provider.event.<tag>`: how one kind of notification looks, with any provider.
  case pushEvent
  /// `push.provider.<name>.event.<tag>`: the same with one provider.
  case pushProviderEvent
  /// `chat`: all chat services.
  case chat
  /// `chat.<service>`: the chats of one service.
  case chatService
  /// `callback`: all callback services.
  case callback
  /// `service.<name>`: one service.
  case service
  /// `support`: requests, their people and devices.
  case support
  /// `support.app.<client>`: one app whose users ask for support.
  case supportApp
  /// `support.agents`: what agents are called.
  case supportAgents
  /// `channels.<name>`: channels that are open to applications.
  case channels

  /// Where an option of a push may stand. Spec: GMS 8.3, scope E.
  package static let pushes: Set<SectionKind> = [.push, .pushProvider, .pushEvent, .pushProviderEvent]
  /// Where an option of a service may stand: the service itself, then the defaults for all. Spec: GMS 8.2.
  package static let services: Set<SectionKind> = [.service, .chat, .chatService, .callback]

  package static let supportAppPrefix = "support.app."
  package static let channelsPrefix = "channels."

  /// nil for a name that is none of the forms above.
  package init?(section name: String) {
    switch name {
    case "server": self = .server
    case "push": self = .push
    case "chat": self = .chat
    case "callback": self = .callback
    case "support": self = .support
    case "support.agents": self = .supportAgents
    default:
      if let rest = name.removing(prefix: "push.provider.") {
        guard let kind = Self.provider(rest) else { return nil }
        self = kind
      } else if name.removing(prefix: "chat.") != nil {
        self = .chatService
      } else if name.removing(prefix: "service.") != nil {
        self = .service
      } else if name.removing(prefix: Self.supportAppPrefix) != nil {
        self = .supportApp
      } else if name.removing(prefix: Self.channelsPrefix) != nil {
        self = .channels
      } else {
        return nil
      }
    }
  }

  /// The form of the section's name, as the documentation writes it.
  package var form: String {
    switch self {
    case .server, .push, .chat, .callback, .support: rawValue
    case .pushProvider: "push.provider.<name>"
    case .pushEvent: "push.provider.event.<tag>"
    case .pushProviderEvent: "push.provider.<name>.event.<tag>"
    case .chatService: "chat.<service>"
    case .service: "service.<name>"
    case .supportApp: Self.supportAppPrefix + "<client>"
    case .supportAgents: "support.agents"
    case .channels: Self.channelsPrefix + "<name>"
    }
  }

  private static func provider(_ rest: String) -> SectionKind? {
    if rest == "event" || rest == "event." { return nil }
    if rest.removing(prefix: "event.") != nil { return .pushEvent }
    guard let range = rest.firstRange(of: ".event.") else {
      return rest.hasSuffix(".event") ? nil : .pushProvider
    }
    return range.lowerBound > rest.startIndex && range.upperBound < rest.endIndex ? .pushProviderEvent : nil
  }
}

extension String {
  /// What follows `prefix`; nil if this text does not begin with it or nothing follows.
  package func removing(prefix: String) -> String? {
    guard hasPrefix(prefix), utf8.count > prefix.utf8.count else { return nil }
    return String(dropFirst(prefix.count))
  }
}
