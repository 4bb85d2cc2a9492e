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
    id: [UInt8]?, clientID: String, connectionTypes: [ConnectionType], timeoutMilliseconds: Int, acknowledges: Bool
  ) -> [UInt8] {
    compose(id: id, channel: ChannelName.handshake, successful: true) { writer in
      version(&writer)
      writer.key("clientId")
      writer.string(clientID)
      types(connectionTypes, &writer)
      BayeuxAdvice.retry(timeoutMilliseconds: timeoutMilliseconds).write(to: &writer)
      if acknowledges {
        writer.key("ext")
        writer.raw(#"{"ack":true}"#)
      }
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
    compose(id: id, channel: ChannelName.handshake, successful: false) { writer in
      version(&writer)
      types(connectionTypes, &writer)
      write(error, &writer)
      advice.write(to: &writer)
    }
  }

  /// To `/meta/subscribe` and `/meta/unsubscribe`. - Parameter error: nil for success.
  public static func subscription(to message: BayeuxMessage, clientID: String, error: BayeuxError? = nil) -> [UInt8] {
    compose(id: message.id, channel: message.channel, successful: error == nil) { writer in
      writer.key("clientId")
      writer.string(clientID)
      if let subscription = message.subscriptionText {
        writer.key("subscription")
        writer.raw(subscription)
      }
      if let error { write(error, &writer) }
    }
  }

  public static func disconnected(id: [UInt8]?, clientID: String) -> [UInt8] {
    compose(id: id, channel: ChannelName.disconnect, successful: true) { writer in
      writer.key("clientId")
      writer.string(clientID)
    }
  }

  /// To a publish that a configured channel takes.
  public static func published(to message: BayeuxMessage) -> [UInt8] {
    compose(id: message.id, channel: message.channel, successful: true) { _ in }
  }

  /// An unsuccessful reply on whatever channel the message came, also on none. Replies to connects and handshakes of
  /// unknown clients carry the advice to shake hands; no other does. Spec: GMS 4.8.
  public static func failure(to message: BayeuxMessage, error: BayeuxError) -> [UInt8] {
    compose(id: message.id, channel: message.channel, successful: false) { writer in
      if let subscription = message.subscriptionText,
        message.channel == ChannelName.subscribe || message.channel == ChannelName.unsubscribe
      {
        writer.key("subscription")
        writer.raw(subscription)
      }
      write(error, &writer)
      if error.code == BayeuxError.unknownClient.code,
        message.channel == ChannelName.connect || message.channel == ChannelName.handshake
      {
        BayeuxAdvice.handshake.write(to: &writer)
      }
    }
  }

  public static func unknownClient(to message: BayeuxMessage) -> [UInt8] { failure(to: message, error: .unknownClient) }

  /// - Parameter batch: the number of the batch that this reply closes, with the acknowledgment extension.
  public static func connected(id: [UInt8]?, advice: BayeuxAdvice? = nil, batch: Int? = nil) -> [UInt8] {
    if id == nil, advice == nil, batch == nil { return plainConnected }
    return compose(id: id, channel: ChannelName.connect, successful: true) { writer in
      advice?.write(to: &writer)
      if let batch {
        writer.key("ext")
        writer.beginObject()
        writer.key("ack")
        writer.integer(batch)
        writer.endObject()
      }
    }
  }

  /// What most polls of native clients, which send no `id`, are answered with.
  private static let plainConnected = compose(id: nil, channel: ChannelName.connect, successful: true) { _ in }

  public static func connectRefused(id: [UInt8]?, error: BayeuxError, advice: BayeuxAdvice?) -> [UInt8] {
    compose(id: id, channel: ChannelName.connect, successful: false) { writer in
      write(error, &writer)
      advice?.write(to: &writer)
    }
  }

  // MARK: Parts

  private static func compose(
    id: [UInt8]?, channel: String?, successful: Bool, _ rest: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter(capacity: 128)
    writer.beginObject()
    if let id {
      writer.key("id")
      writer.raw(id)
    }
    if let channel {
      writer.key("channel")
      writer.string(channel)
    }
    writer.key("successful")
    writer.bool(successful)
    rest(&writer)
    writer.endObject()
    return writer.bytes
  }

  private static func version(_ writer: inout JSONWriter) {
    writer.key("version")
    writer.string("1.0")
    writer.key("minimumVersion")
    writer.string("1.0")
  }

  private static func types(_ types: [ConnectionType], _ writer: inout JSONWriter) {
    writer.key("supportedConnectionTypes")
    writer.beginArray()
    for type in types { writer.string(type.rawValue) }
    writer.endArray()
  }

  private static func write(_ error: BayeuxError, _ writer: inout JSONWriter) {
    writer.key("error")
    writer.string(error.description)
  }
}
