import JSONEnvelope
import MCSProtocol
import TextEncoding

/// A device's connection in JSON: the same session as MCS, in words that need no protobuf. See `DEVICE-SOCKET.md`.
///
/// Each text of the client becomes one stanza. The session counts stanzas; here the numbers become ids again.
struct DeviceSocketCodec {
  /// Nothing that a client says nests deeper.
  private static let depthMaximum = 4

  private var receivedCount = 0
  /// Messages of the client that it has not been told the end of, by their stanza's number.
  private var unconfirmed: [(number: Int, id: String)] = []

  // MARK: From the client

  /// - Throws: `.malformed` if this is not one of the things that a client says.
  mutating func stanza(_ text: UnsafeRawBufferPointer) throws(MCSViolation) -> MCSStanza {
    let limits = JSONLimits(depthMaximum: Self.depthMaximum)
    guard let message = try? JSONValue(parsing: text, limits: limits), let type = message["type"]?.string else {
      throw .malformed
    }
    receivedCount += 1
    switch type {
    case "login": return .loginRequest(try Self.login(message))
    case "ack": return .iq(.selectiveAck(try Self.texts(message["ids"])))
    case "heartbeat": return .heartbeatPing(MCSHeartbeatPing())
    case "alive": return .heartbeatAck(MCSHeartbeatAck())
    case "status":
      guard let isIdle = message["idle"]?.bool else { throw .malformed }
      var status = MCSHeartbeatAck()
      status.status = isIdle ? 1 : 0
      return .heartbeatAck(status)
    case "upstream":
      let upstream = try Self.upstream(message)
      unconfirmed.append((receivedCount, upstream.id))
      return .dataMessage(upstream)
    case "close": return .close(MCSClose())
    default: throw .malformed
    }
  }

  private static func login(_ message: JSONValue) throws(MCSViolation) -> MCSLoginRequest {
    guard let id = message["id"]?.string, let token = message["token"]?.string else { throw .malformed }
    var login = MCSLoginRequest()
    login.user = id
    login.authToken = token
    if let received = message["received"], !received.isNull { login.receivedPersistentID = try texts(received) }
    if let isIdle = message["idle"]?.bool { login.status = isIdle ? 1 : 0 }
    if let seconds = message["heartbeat"]?.integer {
      login.heartbeatStat.intervalMs = Int32(clamping: seconds.multipliedReportingOverflow(by: 1_000).partialValue)
    }
    return login
  }

  private static func upstream(_ message: JSONValue) throws(MCSViolation) -> MCSDataMessageStanza {
    guard let id = message["id"]?.string, let recipient = message["to"]?.string,
      let category = message["category"]?.string
    else { throw .malformed }
    var stanza = MCSDataMessageStanza()
    stanza.id = id
    stanza.to = recipient
    stanza.category = category
    // The client has no other way to learn that it has been taken.
    stanza.immediateAck = true
    for member in message["data"]?.object?.members ?? [] where !member.value.isNull {
      guard let value = member.value.string else { throw .malformed }
      stanza.appData.append(MCSAppData(member.name, value))
    }
    if let subtype = message["subtype"]?.string {
      stanza.appData.append(MCSAppData(MCSAppData.subtypeKey, subtype))
    }
    if let seconds = message["ttl"]?.integer { stanza.ttl = Int32(clamping: seconds) }
    return stanza
  }

  private static func texts(_ value: JSONValue?) throws(MCSViolation) -> [String] {
    guard let elements = value?.array else { throw .malformed }
    let texts = elements.compactMap(\.string)
    guard texts.count == elements.count else { throw .malformed }
    return texts
  }

  // MARK: To the client

  /// The texts that say the same as the stanza: none, one, or an `ack` and one.
  mutating func texts(_ stanza: MCSStanza) -> [[UInt8]] {
    let text = text(stanza)
    let acknowledged = stanza.lastStreamIDReceived.map { confirm(upTo: $0) } ?? []
    let ack = acknowledged.isEmpty ? nil : Self.text("ack") { $0.member("ids", acknowledged) }
    return [ack, text].compactMap(\.self)
  }

  /// Why the connection ends.
  static func closing(_ reason: MCSClosing) -> [UInt8] { text("close") { $0.member("reason", reason.name) } }

  private mutating func text(_ stanza: MCSStanza) -> [UInt8]? {
    switch stanza {
    case .loginResponse(let response) where response.hasError:
      return Self.text("error") { $0.member("reason", "unauthenticated") }
    case .loginResponse(let response):
      return Self.text("ready") { ready in
        ready.member("heartbeat", response.heartbeatConfig.intervalMs / 1_000)
        ready.member("time", response.serverTimestamp)
      }
    case .dataMessage(let message):
      if let failure = message.sendFailure {
        unconfirmed.removeAll { $0.id == failure.id }
        return Self.text("error") { error in
          error.member("id", failure.id)
          error.member("reason", failure.reason)
        }
      }
      return Self.text("message") { Self.write(message, into: &$0) }
    case .heartbeatPing: return Self.text("heartbeat") { _ in }
    case .heartbeatAck: return Self.text("alive") { _ in }
    case .streamError(let error): return Self.text("error") { $0.member("reason", error.type) }
    // What acknowledges has been said by `ack`, and why it closes will be said by `closing`.
    case .iq, .close, .loginRequest: return nil
    }
  }

  private static func write(_ message: MCSDataMessageStanza, into object: inout JSONObjectWriter) {
    // Of pairs with one key, the last one counts.
    var pairs = JSONObject()
    for pair in message.appData { pairs[pair.key] = .string(pair.value) }
    object.member("id", message.persistentID)
    object.member("from", message.from)
    object.member("category", message.category)
    object.object("data") { $0.members(of: pairs) }
    object.member("sent", message.sent)
    object.member("ttl", message.ttl)
    if message.hasToken { object.member("collapseKey", message.token) }
    object.member("raw", ifPresent: message.rawBytes.map { Base64.encode($0) })
  }

  private mutating func confirm(upTo number: Int) -> [String] {
    let count = unconfirmed.prefix { $0.number <= number }.count
    defer { unconfirmed.removeFirst(count) }
    return unconfirmed.prefix(count).map(\.id)
  }

  private static func text(_ type: StaticString, _ members: (inout JSONObjectWriter) -> Void) -> [UInt8] {
    JSONWriter.object { object in
      object.member("type", type)
      members(&object)
    }
  }
}
