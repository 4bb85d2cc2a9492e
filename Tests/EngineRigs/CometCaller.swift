import Bayeux
import Engine
import JSONEnvelope
import ScriptedClients

/// Whoever asks for a Comet session. Spec: Bayeux reference, 15 and 19.
struct CometCaller: Sendable {
  var transport = ConnectionType.longPolling
  var user: String?
  /// `ext.gms_user` of each message.
  var claims: String?
  var cookie: String?
  var token: String?

  /// For the names of tests.
  var summary: String {
    "\(transport.rawValue) user \(user ?? "-") ext \(claims ?? "-") cookie \(cookie ?? "-")"
  }

  static func poll(_ user: String?, _ cookie: String? = nil, ext: String? = nil) -> Self {
    Self(user: user, claims: ext, cookie: cookie)
  }

  static func socket(_ user: String?, _ cookie: String? = nil, ext: String? = nil) -> Self {
    Self(transport: .webSocket, user: user, claims: ext, cookie: cookie)
  }

  static func script(_ user: String?, _ cookie: String? = nil, ext: String? = nil) -> Self {
    Self(transport: .callbackPolling, user: user, claims: ext, cookie: cookie)
  }

  /// One message on an exchange of its own: the first reply.
  func ask(_ channel: String, _ members: String, of comet: CometGateway) async throws -> JSONValue {
    let sink = ScriptedSink()
    let exchange = comet.open(
      sink, transport: transport, userKey: user, browserID: cookie, accessToken: token, address: "203.0.113.9")
    sink.attach(exchange, comet)
    let ext = claims.map { #","ext":{"gms_user":"\#($0)"}"# } ?? ""
    comet.received(
      try BayeuxDecoder.decode(Array(#"[{"channel":"\#(channel)"\#(ext),\#(members)}]"#.utf8)), on: exchange)
    guard let reply = try await sink.reply().first else { throw RigFailure(text: "no reply to \(channel)") }
    comet.closed(exchange)
    return reply
  }

  func handshake(_ comet: CometGateway) async throws -> JSONValue {
    try await ask(
      "/meta/handshake", #""version":"1.0","supportedConnectionTypes":["\#(transport.rawValue)"]"#, of: comet)
  }

  /// Answered at once.
  func connect(_ clientID: String, _ comet: CometGateway) async throws -> JSONValue {
    try await ask(
      "/meta/connect",
      #""clientId":"\#(clientID)","connectionType":"\#(transport.rawValue)","advice":{"timeout":0}"#, of: comet)
  }

  func disconnect(_ clientID: String, _ comet: CometGateway) async throws -> JSONValue {
    try await ask("/meta/disconnect", #""clientId":"\#(clientID)""#, of: comet)
  }
}
