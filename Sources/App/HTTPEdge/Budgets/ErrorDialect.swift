/// The shape of an error where it is not a route's own: decided by who asks there.
enum ErrorDialect {
  /// Spec: GMS 2.4; agents, operators and devices of our own have the same.
  case plain
  /// Spec: support requests 8.
  case support
  /// In the words of a part of messaging.
  case messaging(MessagingErrorDialect)

  init(_ surface: Surface, target: String) {
    switch surface {
    case .support: self = .support
    case .messaging: self = MessagingErrorDialect(target: target).map { .messaging($0) } ?? .plain
    case .comet, .webSocket, .service, .devices, .agent, .operation, .administration, .console, .other:
      self = .plain
    }
  }

  func body(_ failure: EdgeFailure) -> [UInt8] {
    switch self {
    case .plain: failure.body
    case .support: failure.body(for: .support)
    case .messaging(let dialect): dialect.body(failure)
    }
  }

  var contentType: StaticString {
    if case .messaging(let dialect) = self { dialect.contentType } else { "application/json;charset=UTF-8" }
  }
}
