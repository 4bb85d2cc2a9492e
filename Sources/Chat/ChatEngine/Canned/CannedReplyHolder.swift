import ChatDomain
import EngineKit

/// Somebody who uses canned replies.
public struct CannedReplyHolder: Sendable, Equatable {
  /// The name of the token.
  public let name: String
  /// Whether they take part in chats, and have some of their own.
  public let hasOwn: Bool
  /// Whether they write what all have.
  public let writesShared: Bool

  public init(name: String, hasOwn: Bool = true, writesShared: Bool = false) {
    self.name = name
    self.hasOwn = hasOwn
    self.writesShared = writesShared
  }

  /// Where they find some.
  var scopes: [CannedReplies.Scope] { hasOwn ? [.own, .shared] : [.shared] }

  /// The key of the entity. That of nobody's own can be the one of what is shared.
  func key(_ scope: CannedReplies.Scope) -> String {
    switch scope {
    case .own: "agent/" + name
    case .shared: "shared"
    }
  }

  /// - Throws: unless they may change those.
  func require(_ scope: CannedReplies.Scope) throws(EngineError) {
    switch scope {
    case .own: guard hasOwn else { throw .refused(CannedReplyRejection.ownsNone) }
    case .shared: guard writesShared else { throw .refused(CannedReplyRejection.sharedByOthers) }
    }
  }
}
