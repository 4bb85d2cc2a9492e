import JSONEnvelope

/// Makes replies, each the JSON text of one message.
///
/// `id` and `subscription` are repeated as they came, and left out if they did not come. A reply never carries `data`:
/// clients take a message with `data` for an event. Spec: GMS 4.2-4.8; Bayeux 1.0, "Meta Channels".
public enum BayeuxReply {
  /// - Parameters:
  ///   - connectionTypes: what we offer, in the order of our preference.
  ///   - acknowledges: the acknowledgment extension was asked for and is granted.
  public static func handshakeSucceeded(
    id: [UInt8]?, clientID: String, connectionTypes: [ConnectionType], timeoutMilliseconds: Int, acknowledges: Bool,
    timesync: TimeSync? = nil
  ) -> [UInt8] {
    compose(id: id, channel: ChannelName.handshake, successful: true) { reply in
      version(&reply)
      reply.member("clientId", clientID)
      types(connectionTypes, &reply)
      reply.member("advice", BayeuxAdvice.retry(timeoutMilliseconds: timeoutMilliseconds))
      ext(acknowledges ? true : nil, timesync?.answer, &reply)
    }
  }

  /// No connection type is common; the client is to give up. Spec: Bayeux 1.0, handshake response.
  public static func handshakeRefused(
    id: [UInt8]?, offered: [String], connectionTypes: [ConnectionType]
  ) -> [UInt8] {
    handshakeRefused(
      id: id, error: .connectionTypesNotSupported(offered), connectionTypes: connectionTypes, advice: .giveUp)
  }

  public static func handshakeRefused(
    id: [UInt8]?, error: BayeuxError, connectionTypes: [ConnectionType], advice: BayeuxAdvice
  ) -> [UInt8] {
    compose(id: id, channel: ChannelName.handshake, successful: false) { reply in
      version(&reply)
      types(connectionTypes, &reply)
      reply.member("error", error.description)
      reply.member("advice", advice)
    }
  }

  /// To `/meta/subscribe` and `/meta/unsubscribe`. - Parameter error: nil for success.
  public static func subscription(
    to message: BayeuxMessage, clientID: String, error: BayeuxError? = nil, timesync: TimeSync? = nil
  ) -> [UInt8] {
    compose(id: message.id, channel: message.channel, successful: error == nil) { reply in
      reply.member("clientId", clientID)
      reply.member("subscription", ifPresent: message.subscriptionText.map { RawJSON($0) })
      reply.member("error", ifPresent: error?.description)
      ext(Bool?.none, timesync?.answer, &reply)
    }
  }

  public static func disconnected(id: [UInt8]?, clientID: String) -> [UInt8] {
    compose(id: id, channel: ChannelName.disconnect, successful: true) { $0.member("clientId", clientID) }
  }

  /// To a publish that a configured channel takes.
  public static func published(to message: BayeuxMessage) -> [UInt8] {
    compose(id: message.id, channel: message.channel, successful: true) { _ in }
  }

  /// An unsuccessful reply on whatever channel the message came, also on none. Replies to connects and handshakes of
  /// unknown clients carry the advice to shake hands; no other does. Spec: GMS 4.8.
  public static func failure(to message: BayeuxMessage, error: BayeuxError) -> [UInt8] {
    compose(id: message.id, channel: message.channel, successful: false) { reply in
      if message.channel == ChannelName.subscribe || message.channel == ChannelName.unsubscribe {
        reply.member("subscription", ifPresent: message.subscriptionText.map { RawJSON($0) })
      }
      reply.member("error", error.description)
      if error.code == BayeuxError.unknownClient.code,
        message.channel == ChannelName.connect || message.channel == ChannelName.handshake
      {
        reply.member("advice", BayeuxAdvice.handshake)
      }
    }
  }

  public static func unknownClient(to message: BayeuxMessage) -> [UInt8] { failure(to: message, error: .unknownClient) }

  /// - Parameters:
  ///   - batch: the number of the batch that this reply closes, with the acknowledgment extension.
  ///   - timesync: JSON text of what the client is told of our clock.
  public static func connected(
    id: [UInt8]?, advice: BayeuxAdvice? = nil, batch: Int? = nil, timesync: [UInt8]? = nil
  ) -> [UInt8] {
    if id == nil, advice == nil, batch == nil, timesync == nil { return plainConnected }
    return compose(id: id, channel: ChannelName.connect, successful: true) { reply in
      reply.member("advice", ifPresent: advice)
      ext(batch, timesync, &reply)
    }
  }

  /// What most polls of native clients, which send no `id`, are answered with.
  private static let plainConnected = compose(id: nil, channel: ChannelName.connect, successful: true) { _ in }

  public static func connectRefused(id: [UInt8]?, error: BayeuxError, advice: BayeuxAdvice?) -> [UInt8] {
    compose(id: id, channel: ChannelName.connect, successful: false) { reply in
      reply.member("error", error.description)
      reply.member("advice", ifPresent: advice)
    }
  }

  // MARK: Parts

  private static func compose(
    id: [UInt8]?, channel: String?, successful: Bool, _ rest: (inout JSONObjectWriter) -> Void
  ) -> [UInt8] {
    JSONWriter.object(capacity: 128) { reply in
      reply.member("id", ifPresent: id.map { RawJSON($0) })
      reply.member("channel", ifPresent: channel)
      reply.member("successful", successful)
      rest(&reply)
    }
  }

  /// What extensions add, if there is any.
  private static func ext(_ acknowledgment: (some JSONWritable)?, _ timesync: [UInt8]?, _ reply: inout JSONObjectWriter)
  {
    guard acknowledgment != nil || timesync != nil else { return }
    reply.object("ext") { ext in
      ext.member("ack", ifPresent: acknowledgment)
      ext.member("timesync", ifPresent: timesync.map { RawJSON($0) })
    }
  }

  private static func version(_ reply: inout JSONObjectWriter) {
    reply.member("version", "1.0")
    reply.member("minimumVersion", "1.0")
  }

  private static func types(_ types: [ConnectionType], _ reply: inout JSONObjectWriter) {
    reply.array("supportedConnectionTypes", types) { type, writer in writer.value(type.rawValue) }
  }
}
