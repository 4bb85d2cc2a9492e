import JSONEnvelope

/// One event of a transcript, as the customer sees it. Spec: GMS 5.1.
public struct ChatEvent: Sendable, Equatable {
  /// 1, 2, 3, … without gaps within a chat.
  public let position: Int
  /// `Message.Text`, `Notice.Joined`, …
  public let type: String
  public let nickname: String
  public let text: String
  /// Whole seconds since the chat's start.
  public let seconds: Int
  /// `CLIENT`, `AGENT`, `SUPERVISOR` or `EXTERNAL`.
  public let party: String

  public init(position: Int, type: String, nickname: String, text: String, seconds: Int, party: String) {
    self.position = position
    self.type = type
    self.nickname = nickname
    self.text = text
    self.seconds = seconds
    self.party = party
  }

  public var isFromCustomer: Bool { party == "CLIENT" }
}

/// The "chat response" object: the reply to every chat operation, and what a notification carries. Spec: GMS 3.5.
public struct ChatEventMessage: Sendable, Equatable {
  public enum State: String, Sendable {
    /// Only in the reply to the start.
    case connected = "CONNECTED"
    case transcript = "TRANSCRIPT"
    /// The chat is over.
    case disconnected = "DISCONNECTED"
  }

  public let chatSessionID: String
  public let state: State
  /// The number of the last event contained in or preceding this message.
  public let position: Int
  /// `YYYY-MM-DDThh:mm:ssZ`.
  public let startedAt: String
  /// Oldest first; in `CarillonChat.events` never one that came before.
  public let events: [ChatEvent]

  public init(chatSessionID: String, state: State, position: Int, startedAt: String, events: [ChatEvent]) {
    self.chatSessionID = chatSessionID
    self.state = state
    self.position = position
    self.startedAt = startedAt
    self.events = events
  }

  /// - Throws: `ClientError.malformedResponse` if `value` is no chat response.
  init(_ value: JSONValue) throws(ClientError) {
    guard let session = value["chatSessionId"]?.string,
      let state = value["chatIxnState"]?.string.flatMap(State.init),
      let position = value["transcriptPosition"]?.lenientInteger
    else { throw .malformedResponse("no chat response") }
    let tuples = value["transcriptToShow"]?.array ?? []
    var events: [ChatEvent] = []
    for (index, tuple) in tuples.enumerated() {
      guard let fields = tuple.array?.map({ $0.lenientString ?? "" }), fields.count >= 5 else {
        throw .malformedResponse("transcript event that is no tuple of five")
      }
      // A message at position p with n tuples holds the events p−n+1 … p. Spec: GMS 5.2.
      events.append(
        ChatEvent(
          position: position - tuples.count + 1 + index, type: fields[0], nickname: fields[1], text: fields[2],
          seconds: Int(fields[3]) ?? 0, party: fields[4]))
    }
    self.init(
      chatSessionID: session, state: state, position: position, startedAt: value["startedAt"]?.string ?? "",
      events: events)
  }

  /// This message without the events up to `position`.
  func after(_ position: Int) -> ChatEventMessage {
    ChatEventMessage(
      chatSessionID: chatSessionID, state: state, position: self.position, startedAt: startedAt,
      events: events.filter { $0.position > position })
  }
}

/// The `message` of an error body, or the beginning of what came instead.
func errorMessage(in body: [UInt8]) -> String {
  if let value = try? JSONValue(parsing: body), let message = value["message"]?.string { return message }
  return String(decoding: body.prefix(200), as: UTF8.self)
}
