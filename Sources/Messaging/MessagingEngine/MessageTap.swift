import EngineKit
public import EventSourcing
import PushDomain
import PushEngine

/// What happens to messages, as it happens, for whoever develops an app: without what they say.
///
/// Costs nothing while nobody looks.
public final class MessageTap: Sendable {
  private let tap: EventTap<MessageStep>
  private let now: @Sendable () -> Timestamp

  init(limits: EngineLimits, now: @escaping @Sendable () -> Timestamp) {
    tap = EventTap(followersMaximum: limits.tapFollowersMaximum, waitingMaximum: limits.tapStepsWaitingMaximum)
    self.now = now
  }

  /// - Parameter filter: what is wanted.
  /// - Returns: the steps from now on; ended by the engine if its reader lags behind. Nil if there are too many readers.
  public func follow(_ filter: MessageTapFilter) -> AsyncStream<MessageStep>? {
    tap.follow { filter.wants($0) }
  }

  /// Ends all streams: the server stops.
  func finish() { tap.finish() }

  var isWatched: Bool { tap.isWatched }

  /// - Parameter step: made only if somebody looks.
  func note(_ step: (Timestamp) -> MessageStep) { tap.note { step(now()) } }
}

public struct MessageTapFilter: Sendable, Equatable {
  public var sender: String?
  public var messageID: String?
  public var app: String?

  public init(sender: String? = nil, messageID: String? = nil, app: String? = nil) {
    self.sender = sender
    self.messageID = messageID
    self.app = app
  }

  func wants(_ step: MessageStep) -> Bool {
    (sender == nil || sender == step.sender) && (messageID == nil || messageID == step.messageID)
      && (app == nil || app == step.app)
  }
}

/// One step in a message's life.
public struct MessageStep: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable {
    /// The sender has its id.
    case accepted
    /// A target was answered with an error; `reason` is its code.
    case refused
    /// It is in the mailbox.
    case stored
    /// It was written to the device's connection.
    case sent
    case acknowledged
    case collapsed
    /// A fifth collapse key took its place.
    case evicted
    /// It was dropped with all that waited of its sender for its app: the hundred was full. The device gets a notice.
    case dropped
    case expired
    /// Now or never, and not now.
    case discarded
    case unregistered
    /// Written to a connection of a device that never acknowledges, and dropped for want of room. A notice counts it.
    case unconfirmed
    /// The sender is told that the device has it.
    case receipt
    /// A device's message for an app server.
    case upstream
  }

  public let at: Timestamp
  public let kind: Kind
  public let messageID: String
  public let sender: String
  public let app: String
  /// The beginning of a hash of the target; tokens are shown to nobody.
  public let target: String
  public let collapseKey: String?
  public let reason: String?
}

extension MessageStep {
  init(_ kind: Kind, _ mail: Mail, at: Timestamp, reason: String? = nil) {
    self.init(
      at: at, kind: kind, messageID: mail.id, sender: mail.sender, app: mail.category,
      // A broadcast has no receiver yet.
      target: mail.scope.isEmpty ? mail.origin : MailScope.shown(mail.scope), collapseKey: mail.collapseKey,
      reason: reason)
  }

  init(_ ending: MailEnding, _ mail: EndedMail, at: Timestamp) {
    let kind: Kind =
      switch ending {
      case .acknowledged: .acknowledged
      case .collapsed: .collapsed
      case .evicted: .evicted
      case .expired: .expired
      case .unregistered: .unregistered
      case .unconfirmed: .unconfirmed
      case .dropped: .dropped
      }
    self.init(
      at: at, kind: kind, messageID: mail.id, sender: mail.sender, app: mail.category,
      target: MailScope.shown(mail.scope), collapseKey: nil, reason: nil)
  }
}

extension MailScope {
  /// What people are shown of a registration: the beginning of a hash, the same in all places.
  static func shown(_ scope: String) -> String {
    "#"
      + DeviceKey.of(PushAddress(type: PushType.gcm.rawValue, deviceID: scope, provider: nil, language: nil)).prefix(8)
  }
}
