import Bayeux
package import CometEngine
import EngineKit
import EventSourcing
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// Application channels for back ends: JSON, with a bearer token of the role `channels` or `admin`.
package struct ChannelRoutes: TokenRoutes {
  let channels: ApplicationChannels
  package let tokens: TokenStore
  let limits: EdgeLimits
  /// How much one list may hold.
  let listMaximum: Int

  package init(channels: ApplicationChannels, tokens: TokenStore, limits: EdgeLimits, listMaximum: Int) {
    self.channels = channels
    self.tokens = tokens
    self.limits = limits
    self.listMaximum = listMaximum
  }

  func publish(_ request: Request) async throws -> Response {
    let channel = try Self.channel(of: request)
    let body = try JSONBody(try await request.bytes(limits: limits))
    guard let data = body.members["data"] else { throw EdgeFailure.missingParameter("data") }
    let member = try body.optionalInteger("subscriber", in: 1...Int.max).map { ChannelMember(rawValue: UInt64($0)) }
    do throws(ApplicationChannels.Refusal) {
      let count = try channels.publish(data.text, on: channel, to: member)
      return .object { $0.member("subscribers", count) }
    } catch {
      throw EdgeFailure(error)
    }
  }

  func list(_ request: Request) throws -> Response {
    let query = try ListQuery(request, limitMaximum: listMaximum)
    let (page, link) = try query.page(of: channels.all, by: \.name)
    return .json(adding: link) { json in
      json.objects(page) { channel, object in
        object.member("channel", channel.name)
        object.member("subscribers", channel.subscribers)
      }
    }
  }

  func audience(_ request: Request) throws -> Response {
    let query = try ListQuery(request, limitMaximum: listMaximum)
    guard let audience = channels.audience(of: try Self.channel(of: request)) else {
      throw EdgeFailure(ApplicationChannels.Refusal.notOpen)
    }
    let (page, link) = try query.page(of: audience, by: \.member.rawValue)
    return .json(adding: link) { json in json.objects(page) { Self.write($0, into: &$1) } }
  }

  func follow(_ token: AccessToken, _ request: Request) throws -> Response {
    let pattern = try ListQuery(ofResource: request, ["channel"])["channel"]
    if let pattern, !ChannelName.isValidPattern(pattern) {
      throw EdgeFailure.badParameter("channel", "is no channel and no pattern of channels, such as /news/**")
    }
    guard let news = channels.follow(pattern) else { throw EdgeFailure.unavailable("Too many streams are open") }
    return .events { [tokens] send in
      for await one in news {
        // A revoked token hears nothing more.
        guard tokens.isUsable(token) else { break }
        try await send(Self.event(one))
      }
    }
  }

  /// The rest of the path, as it is meant.
  private static func channel(of request: Request) throws(EdgeFailure) -> String {
    guard let name = PathText.decode(request.uri.path.dropFirst(path.utf8.count)) else { throw .notFound }
    return name
  }

  static let path = "/admin/1/channels"

  /// One event, its data in one line: outside of texts, where none can be, a line break is but a blank of a client's JSON.
  static func event(_ news: ChannelNews) -> [UInt8] {
    let data = JSONWriter.object(capacity: 128 + (news.data?.count ?? 0)) { object in
      object.member("at", news.at.iso8601Milliseconds)
      object.member("channel", news.channel)
      if let party = news.party { write(party, into: &object) }
      object.member("data", ifPresent: news.data.map { RawJSON($0) })
      object.member("ext", ifPresent: news.ext.map { RawJSON($0) })
    }
    let line = data.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
    return Array("event: \(news.kind.rawValue)\ndata: ".utf8) + line + Array("\n\n".utf8)
  }

  private static func write(_ party: ChannelParty, into object: inout JSONObjectWriter) {
    object.member("subscriber", party.member.rawValue)
    object.member("userKey", ifPresent: party.userKey)
  }
}

extension EdgeFailure {
  fileprivate init(_ refusal: ApplicationChannels.Refusal) {
    self =
      switch refusal {
      case .notOpen:
        EdgeFailure(.notFound, "No rule opens a channel of this name", exception: "ChannelNotFoundException")
      case .tooLarge(let limit):
        EdgeFailure(.contentTooLarge, "The data is larger than \(limit) bytes", exception: "RequestTooLargeException")
      case .tooManyChannels: .unavailable("There are too many channels")
      case .needsMember: .missingParameter("subscriber")
      case .goesToAll: .badParameter("subscriber", "means nothing on a channel that is not below /service")
      case .unknownMember:
        EdgeFailure(.notFound, "There is no such subscriber", exception: "SubscriberNotFoundException")
      }
  }
}
