import JSONEnvelope

/// An app's Comet session, message by message as gms.md prints them.
struct CometApp: Sendable {
  let wire: Wire
  let clientID: String

  /// Shakes hands.
  static func handshake(_ wire: Wire, ext: String? = nil) async throws -> CometApp {
    let ext = ext.map { ",\"ext\":\($0)" } ?? ""
    let replies = try await wire.comet(
      #"[{"id":"1","channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"]\#(ext)}]"#)
    guard replies.count == 1, replies[0]["successful"] == true, let clientID = replies[0]["clientId"]?.string else {
      throw EndToEndFailure("no handshake: \(replies)")
    }
    return CometApp(wire: wire, clientID: clientID)
  }

  /// Shakes hands, connects for the first time and subscribes: from now on a connect is held.
  static func online(_ wire: Wire, ext: String? = nil) async throws -> CometApp {
    let app = try await handshake(wire, ext: ext)
    _ = try await app.connect()
    _ = try await app.subscribe()
    return app
  }

  var connectMessage: String {
    #"{"id":"6","channel":"/meta/connect","clientId":"\#(clientID)","connectionType":"long-polling"}"#
  }

  func connect() async throws -> [JSONValue] { try await wire.comet("[\(connectMessage)]") }

  func subscribe(_ channel: String = "/_genesys") async throws -> [JSONValue] {
    try await wire.comet(
      #"[{"id":"3","channel":"/meta/subscribe","clientId":"\#(clientID)","subscription":"\#(channel)"}]"#)
  }

  func disconnect(position: Int) async throws -> [JSONValue] {
    try await wire.comet(
      #"[{"id":"7","channel":"/meta/disconnect","clientId":"\#(clientID)","ext":{"transcriptPosition":"\#(position)"}}]"#
    )
  }

  /// Connects again and again until the event at `position` has come; the tuples in order, each once.
  func receive(through position: Int) async throws -> [JSONValue] {
    var tuples: [JSONValue] = []
    var seen = 0
    while seen < position {
      let replies = try await connect()
      guard let last = replies.last, last["channel"] == "/meta/connect", last["successful"] == true else {
        throw EndToEndFailure("the connect reply is not the last, or a refusal: \(replies)")
      }
      for reply in replies.dropLast() {
        guard let message = reply["data"]?["message"], let top = message["transcriptPosition"]?.lenientInteger,
          let new = message["transcriptToShow"]?.array
        else { throw EndToEndFailure("not a notification: \(reply)") }
        for (index, tuple) in new.enumerated() where top - new.count + index + 1 > seen { tuples.append(tuple) }
        seen = max(seen, top)
      }
    }
    return tuples
  }
}
