import JSONEnvelope
import Testing

@testable import CarillonClient

@Suite("Chat, events from several ways")
struct ChatReceiveTests {
  private let chat = CarillonChat(
    ChatConfiguration(server: ServerAddress(host: "127.0.0.1", port: 1), userKey: "key"))

  @Test("each event is handed on once, in order, whatever is repeated")
  func duplicates() async throws {
    await chat.accept(message(1...1), origin: .reply)
    await chat.accept(message(2...3), origin: .notification)
    await chat.accept(message(1...3), origin: .notification)
    await chat.accept(message(2...5), origin: .notification)
    #expect(await chat.position == 5)
    await chat.accept(message(6...6, state: .disconnected), origin: .notification)
    #expect(await positions() == [[1], [2, 3], [4, 5], [6]])
    #expect(await chat.phase == .ended)
  }

  @Test("what comes after a gap waits until the gap is closed")
  func gap() async throws {
    await chat.accept(message(1...1), origin: .reply)
    await chat.accept(message(4...4), origin: .notification)
    #expect(await chat.position == 1)
    #expect(await chat.recovery != nil)
    await chat.accept(message(2...4), origin: .reply)
    await chat.accept(message(5...5, state: .disconnected), origin: .notification)
    #expect(await positions() == [[1], [2, 3, 4], [5]])
  }

  @Test("a reply that is ahead of Comet asks for nothing")
  func replyAhead() async throws {
    await chat.accept(message(1...1), origin: .reply)
    await chat.accept(message(3...3), origin: .reply)
    #expect(await chat.position == 1)
    #expect(await chat.recovery == nil)
  }

  @Test("the position of each tuple counts back from the message's")
  func tuples() throws {
    let value = try JSONValue(
      parsing: """
        {"chatSessionId":"s","chatIxnState":"TRANSCRIPT","transcriptPosition":"6","transcriptToShow":
        [["Notice.TypingStarted","K","is typing","7","AGENT"],["Message.Text","K","Hi","9","AGENT"]]}
        """)
    let message = try ChatEventMessage(value)
    #expect(message.events.map(\.position) == [5, 6])
    #expect(message.events.last?.text == "Hi")
    #expect(message.after(5).events.map(\.position) == [6])
  }

  @Test("what is no chat response is refused", arguments: ["{}", "[]", #"{"chatSessionId":"s","chatIxnState":"X"}"#])
  func malformed(text: String) throws {
    let value = try JSONValue(parsing: text)
    #expect(throws: ClientError.self) { try ChatEventMessage(value) }
  }

  private func message(
    _ range: ClosedRange<Int>, state: ChatEventMessage.State = .transcript
  ) -> ChatEventMessage {
    let events = range.map {
      ChatEvent(position: $0, type: "Message.Text", nickname: "K", text: "\($0)", seconds: 0, party: "AGENT")
    }
    return ChatEventMessage(
      chatSessionID: "s", state: state, position: range.upperBound, startedAt: "", events: events)
  }

  /// The stream has ended by now.
  private func positions() async -> [[Int]] {
    var all: [[Int]] = []
    for await message in chat.events { all.append(message.events.map(\.position)) }
    return all
  }
}
