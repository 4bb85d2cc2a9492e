/// An error as it stands in a reply: `code:arguments:text`, always three fields, because a client in the field crashes
/// on fewer. Spec: GMS 4.8; Bayeux 1.0, "error".
public struct BayeuxError: Error, Sendable, Equatable, CustomStringConvertible {
  public let code: Int
  public let arguments: [String]
  public let text: String

  /// Characters of the arguments that would break the three fields are left out.
  public init(_ code: Int, _ arguments: [String] = [], _ text: String) {
    self.code = code
    self.arguments = arguments.map { $0.filter { $0 != ":" && $0 != "," } }
    self.text = text.filter { $0 != ":" }
  }

  public var description: String { "\(code):\(arguments.joined(separator: ",")):\(text)" }

  public static let unknownClient = BayeuxError(402, "Unknown client")
  public static let channelMissing = BayeuxError(400, "channel_missing")
  public static let channelInvalid = BayeuxError(405, "channel_invalid")
  public static let subscriptionMissing = BayeuxError(403, "subscription_missing")
  public static let subscriptionInvalid = BayeuxError(403, "subscription_invalid")
  public static let subscribeDenied = BayeuxError(403, "subscribe_denied")
  public static let publishDenied = BayeuxError(403, "publish_denied")
  /// Another session of the same browser is held, and there is to be no second one.
  public static let multipleClients = BayeuxError(403, "multiple_clients")
  /// A handler of the channel has refused it.
  public static let messageDeleted = BayeuxError(404, "message_deleted")

  /// A request with more messages than are worked through at once.
  public static func batchTooLarge(limit: Int) -> BayeuxError { BayeuxError(413, [String(limit)], "batch_too_large") }

  /// What a client publishes, or its `ext`, is longer.
  public static func messageTooLarge(limit: Int) -> BayeuxError {
    BayeuxError(413, [String(limit)], "message_too_large")
  }

  /// The session has as many subscriptions to application channels as it may.
  public static func subscriptionLimit(_ limit: Int) -> BayeuxError {
    BayeuxError(403, [String(limit)], "subscription_limit")
  }

  /// There are as many application channels as there may be.
  public static func channelLimit(_ limit: Int) -> BayeuxError { BayeuxError(403, [String(limit)], "channel_limit") }

  /// No connection type is common: names what the client offered, within reason.
  public static func connectionTypesNotSupported(_ offered: [String]) -> BayeuxError {
    BayeuxError(301, offered.prefix(8).map { String($0.prefix(32)) }, "Connection types not supported")
  }

  private init(_ code: Int, _ text: String) { self.init(code, [], text) }
}
