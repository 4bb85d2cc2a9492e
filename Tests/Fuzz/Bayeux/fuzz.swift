import Bayeux
import Fuzzing
import JSONEnvelope

@main
enum Program {
  static func main() { Fuzzer.run() }
}

/// A body from a client: decoding is total, and whatever we send back of it is JSON that says the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: start, count: count)
  let messages: [BayeuxMessage]
  do throws(BayeuxDecodingError) {
    messages = try BayeuxDecoder.decode(bytes)
  } catch {
    require(error.description.utf8.count < 200, "a refusal is one line and repeats nothing of the input")
    return 0
  }
  let limits = BayeuxLimits()
  require((1...limits.messagesReadMaximum).contains(messages.count), "one message at least, and no more than allowed")
  guard let value = try? JSONValue(parsing: bytes) else {
    // Numbers that nobody asked for are checked but not converted.
    require((try? JSONValue(parsing: bytes)) == nil, "parsing is the same twice")
    messages.forEach { check($0, limits) }
    return 0
  }
  let objects = value.array ?? [value]
  require(objects.count == messages.count, "one message for each object")
  for (message, object) in zip(messages, objects) {
    check(message, limits)
    require(message.channel == object["channel"]?.string, "the channel is the text that stands there")
    require(message.clientID == object["clientId"]?.string, "the clientId is the text that stands there")
    if let data = message.data { require(parsed(data) == object["data"], "data is what stands there") }
    if let ext = message.ext { require(parsed(ext) == object["ext"], "ext is what stands there") }
  }
  runSession(messages, steps: bytes)
  return 0
}

private func parsed(_ bytes: [UInt8]) -> JSONValue? { try? JSONValue(parsing: bytes) }

private func isJSON(_ bytes: [UInt8]) -> Bool {
  guard String(validating: bytes, as: UTF8.self) != nil else { return false }
  do {
    return try bytes.withUnsafeBytes { buffer in
      var scanner = try JSONScanner(buffer)
      try scanner.skipValue()
      try scanner.end()
      return true
    }
  } catch {
    return false
  }
}

private func check(_ message: BayeuxMessage, _ limits: BayeuxLimits) {
  require((message.id?.count ?? 0) <= limits.idBytesMaximum, "an id is no longer than allowed")
  require((message.subscriptionText?.count ?? 0) <= limits.subscriptionBytesMaximum, "nor is a subscription")
  require((message.subscription?.count ?? 0) <= limits.listMaximum, "nor is a list")
  require((message.adviceTimeout ?? 0) >= 0 && (message.adviceInterval ?? 0) >= 0, "durations are not negative")
  require((message.transcriptPosition ?? 0) >= 0, "a position is not negative")
  for name in (message.subscription ?? []) + [message.channel].compactMap(\.self) {
    require(!ChannelName.isValid(name) || ChannelName.isValidPattern(name), "a channel may be subscribed to")
    if ChannelName.isValid(name) {
      require(ChannelName.matches(pattern: name, channel: name), "a channel matches itself")
      require(ChannelName.matches(pattern: "/**", channel: name), "everything is below the root")
    }
  }
  let replies = replies(to: message)
  for reply in replies {
    require(isJSON(reply), "a reply is JSON")
    guard let value = parsed(reply) else { continue }
    if let id = message.id.flatMap(parsed) { require(value["id"] == id, "the id comes back as it was") }
    require(value["data"] == nil, "a reply carries no data")
    require(value["successful"]?.bool != nil, "a reply says whether it is one")
  }
}

private func replies(to message: BayeuxMessage) -> [[UInt8]] {
  [
    BayeuxReply.handshakeSucceeded(
      id: message.id, clientID: "c", connectionTypes: ConnectionType.allCases, timeoutMilliseconds: 1,
      acknowledges: message.wantsAcknowledgment),
    BayeuxReply.handshakeRefused(
      id: message.id, offered: message.supportedConnectionTypes ?? [], connectionTypes: ConnectionType.allCases),
    BayeuxReply.subscription(to: message, clientID: message.clientID ?? ""),
    BayeuxReply.subscription(to: message, clientID: "c", error: .unknownClient),
    BayeuxReply.disconnected(id: message.id, clientID: message.clientID ?? ""),
    BayeuxReply.published(to: message),
    BayeuxReply.failure(to: message, error: .connectionTypesNotSupported(message.supportedConnectionTypes ?? [])),
    BayeuxReply.unknownClient(to: message),
    BayeuxReply.connected(id: message.id, advice: .handshake, batch: message.acknowledged),
    BayeuxReply.connectRefused(id: message.id, error: .unknownClient, advice: .giveUp),
  ]
}

/// The messages one after the other as requests of one session, in an order and with outcomes that the bytes choose.
private func runSession(_ messages: [BayeuxMessage], steps: UnsafeRawBufferPointer) {
  var session = BayeuxSession(
    clientID: "c", settings: SessionSettings(), acknowledges: messages.contains(where: \.wantsAcknowledgment))
  var isArmed = false
  var hasEnded = false
  var unwritten: [ExchangeID] = []
  func take(_ actions: [SessionAction]) {
    for action in actions {
      switch action {
      case .respond(let exchange, let messages):
        for message in messages { require(isJSON(message), "what is sent is JSON") }
        if !hasEnded { unwritten.append(exchange) }
      case .arm(let milliseconds):
        require(milliseconds >= 0, "no timer runs backwards")
        isArmed = true
      case .disarm: isArmed = false
      case .sendOff: break
      case .delivered: break
      case .ended:
        require(!hasEnded, "a session ends once")
        hasEnded = true
      }
    }
  }
  take(session.handshaken())
  var exchange: UInt64 = 0
  for (index, message) in messages.enumerated() {
    let step = steps[(index * 7 + steps.count / 2) % steps.count]
    exchange += 1
    let id = ExchangeID(rawValue: step & 64 == 0 ? exchange : 1)
    let transport: ConnectionType = step & 64 == 0 ? .longPolling : .webSocket
    if step & 1 == 0 { session.requestBegan(id) }
    if step & 2 == 0 {
      let event = QueuedMessage(bytes: Array(#"{"data":1}"#.utf8), mark: DeliveryMark(source: "s", position: index))
      take(session.received(.deliver([event])))
    }
    if message.channel == ChannelName.disconnect {
      let reply = BayeuxReply.disconnected(id: message.id, clientID: "c")
      take(session.received(.disconnect(exchange: id, transport: transport, replies: [.ready(reply)])))
    } else {
      let reply: SessionReply =
        message.channel == ChannelName.connect
        ? .connect(ConnectRequest(message)) : .ready(BayeuxReply.published(to: message))
      take(session.received(.request(exchange: id, transport: transport, replies: [reply])))
    }
    if step & 4 == 0 {
      for exchange in unwritten { take(session.received(.written(exchange, success: step & 8 == 0))) }
      unwritten = []
    }
    if step & 16 != 0, isArmed {
      isArmed = false
      take(session.received(.timerElapsed))
    }
    if step & 32 != 0 { take(session.received(.closed(id))) }
    if step & 128 != 0 { take(session.received(.serverStops)) }
  }
}
