import Bayeux
import CometEngine
import EngineKit
import JSONEnvelope
import SupportDomain

/// Live events of support requests: whoever shook hands with an access token may follow requests of its own, and says
/// which comments it has shown. Spec: support requests 6.2.
struct SupportStreams: CometBearers {
  let service: SupportService

  func userKey(bearing token: String) -> String? {
    (service.endUser(bearing: token)?.number).map { ReservedUserKey.of($0) }
  }

  func followable(_ wanted: [String], by userKey: String, beside followed: [String]) async -> Set<String> {
    guard let user = ReservedUserKey.number(in: userKey) else { return [] }
    let most = service.limits.supportChannelsBySessionMaximum
    var followable: Set<String> = []
    for channel in wanted.prefix(most) where !followable.contains(channel) {
      if followed.contains(channel) || channel == SupportStreamChannel.all {
        followable.insert(channel)
      } else if followed.count + followable.count < most, let request = SupportStreamChannel.request(in: channel),
        await service.mayFollow(user: user, request: request)
      {
        followable.insert(channel)
      }
    }
    return followable
  }

  func published(_ message: BayeuxMessage, by userKey: String) async -> Result<Void, BayeuxError>? {
    guard let user = ReservedUserKey.number(in: userKey),
      let request = SupportStreamChannel.request(in: message.channel ?? "")
    else { return nil }
    if let refusal = await acknowledge(message, by: user, of: request) { return .failure(refusal.error) }
    return .success(())
  }

  private func acknowledge(
    _ message: BayeuxMessage, by user: Int64, of request: Int64
  ) async -> SupportStreamRefusal? {
    guard let acknowledgement = SupportAcknowledgement(message.data) else { return .malformed }
    let comment = SupportIDs.parts(ofComment: acknowledgement.comment)
    guard await service.mayFollow(user: user, request: request) else { return .unknownRequest }
    guard comment.request == request else { return .unknownComment }
    return await service.acknowledged(
      user: user, request: request, comment: comment.number, identifier: acknowledgement.identifier)
  }
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
