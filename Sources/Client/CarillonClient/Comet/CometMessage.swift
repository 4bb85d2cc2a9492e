import JSONEnvelope

/// One Bayeux message from the server: a reply, or an event on a channel.
struct CometMessage: Sendable {
  let channel: String
  let id: String?
  let clientID: String?
  /// Nil in events.
  let successful: Bool?
  let error: String?
  let advice: Advice?
  let data: JSONValue?

  /// Reads the array of messages that a response or a frame holds.
  static func messages(in bytes: [UInt8]) throws(ClientError) -> [CometMessage] {
    let value: JSONValue
    do { value = try JSONValue(parsing: bytes) } catch { throw .malformedResponse("\(error)") }
    guard let elements = value.array else { throw .malformedResponse("no array of Bayeux messages") }
    var messages: [CometMessage] = []
    for element in elements {
      guard let channel = element["channel"]?.string else { throw .malformedResponse("message without a channel") }
      messages.append(
        CometMessage(
          channel: channel, id: element["id"]?.lenientString, clientID: element["clientId"]?.string,
          successful: element["successful"]?.bool, error: element["error"]?.string,
          advice: element["advice"].flatMap(Advice.init), data: element["data"]))
    }
    return messages
  }

  /// The code in front of the error text, 0 if there is none.
  var errorCode: Int { error.flatMap { Int($0.prefix { $0 != ":" }) } ?? 0 }

  /// As a reply: takes over its advice, and a session that the server does not know any more out of use.
  /// - Throws: `unsuccessful`.
  func settle(advice: inout Advice?, clientID: inout String?) throws(ClientError) {
    if var latest = self.advice {
      // The time-out stands until a new one comes: it is told once a session.
      latest.timeoutMilliseconds = latest.timeoutMilliseconds ?? advice?.timeoutMilliseconds
      advice = latest
    }
    guard successful == true else {
      if errorCode == 402 || self.advice?.reconnect == .handshake { clientID = nil }
      throw .unsuccessful(channel: channel, error: error ?? "")
    }
  }
}

/// What the server advises; the latest received replaces all earlier. Spec: Bayeux 1.0, advice.
struct Advice: Sendable, Equatable {
  enum Reconnect: String, Sendable { case retry, handshake, none }

  var reconnect: Reconnect?
  /// From a connect's reply to the next connect, milliseconds; negative: do not connect.
  var intervalMilliseconds: Int?
  /// How long the server holds a connect.
  var timeoutMilliseconds: Int?

  init?(_ value: JSONValue) {
    guard value.object != nil else { return nil }
    reconnect = value["reconnect"]?.string.flatMap(Reconnect.init)
    intervalMilliseconds = value["interval"]?.lenientInteger
    timeoutMilliseconds = value["timeout"]?.lenientInteger
  }
}
