import Bayeux
import JSONEnvelope

/// What the Comet endpoint asks of the support requests. Each closure is called with what a client has said: it judges.
/// Spec: support requests 6.2.
struct SupportStreams: Sendable {
  /// The number of the end user whom this access token opens; nil if it opens nothing (any more).
  var endUser: @Sendable (_ token: String) -> Int64?
  /// Whether this request is one of this user's own.
  var mayFollow: @Sendable (_ user: Int64, _ request: Int64) async -> Bool
  /// A device of this user's has shown the comment.
  /// - Parameters:
  ///   - comment: its number within the request.
  ///   - identifier: of the device, as it came; to be cleaned like everywhere.
  /// - Returns: nil if that was taken in, also if no notification waits for it any more.
  var acknowledged:
    @Sendable (_ user: Int64, _ request: Int64, _ comment: Int, _ identifier: String) async -> SupportStreamRefusal?
}

/// Why an acknowledgement is not taken in. The raw values are what the client is told.
enum SupportStreamRefusal: String, Sendable {
  /// No such request, or another's.
  case unknownRequest = "unknown_request"
  case unknownComment = "unknown_comment"
  /// Not registered, or by somebody else.
  case unknownDevice = "unknown_device"
  /// Not `{"type":"refreshed","comment_id":…,"identifier":…}`.
  case malformed = "malformed"
  /// The server cannot take it in at the moment.
  case busy = "server_busy"

  var error: BayeuxError {
    switch self {
    case .unknownRequest, .unknownComment, .unknownDevice: BayeuxError(404, [], rawValue)
    case .malformed: BayeuxError(400, [], rawValue)
    case .busy: BayeuxError(503, [], rawValue)
    }
  }
}

/// The key that Comet sessions of end users of support requests are bound to, in place of a `gms_user`. No app can name
/// such a key itself: only an access token leads to one.
public enum SupportUserKey {
  static let prefix = "support/"

  /// Whether a `gms_user` would pass for one.
  public static func isReserved(_ userKey: String) -> Bool { userKey.hasPrefix(prefix) }

  static func of(_ user: Int64) -> String { prefix + String(user) }

  /// Such a name that is no user's, but this house's own.
  static func isNobodys(_ userKey: String) -> Bool { isReserved(userKey) && number(in: userKey) == nil }

  /// The number of the user; nil for a `gms_user`.
  static func number(in userKey: String) -> Int64? {
    isReserved(userKey) ? Int64(userKey.dropFirst(prefix.count)) : nil
  }
}

/// The channels of live events: `/support/requests/5`, and `/support/requests/*` for all requests of one's own.
enum SupportStreamChannel {
  static let all = parent + "*"
  private static let parent = "/support/requests/"

  static func of(_ request: Int64) -> String { parent + String(request) }

  /// The number of the request; nil for another channel, and for another spelling than ours.
  static func request(in channel: String) -> Int64? {
    guard channel.hasPrefix(parent), let number = Int64(channel.dropFirst(parent.count)), number > 0,
      of(number) == channel
    else { return nil }
    return number
  }
}

/// What a client publishes on the channel of a request: that it has shown a comment to its user.
struct SupportAcknowledgement: Equatable {
  /// The id on the wire.
  let comment: Int64
  let identifier: String

  /// - Parameter data: JSON text; nil and everything else than an acknowledgement make none.
  init?(_ data: [UInt8]?) {
    guard let data, let value = try? JSONValue(parsing: data), value["type"]?.string == "refreshed",
      let comment = value["comment_id"]?.lenientInteger, comment > 0, let identifier = value["identifier"]?.string
    else { return nil }
    self.comment = Int64(comment)
    self.identifier = identifier
  }
}
