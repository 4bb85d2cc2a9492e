import Bayeux
import Testing

@Suite("Comet session, what it has of a source")
struct PendingTests {
  private static func message(_ position: Int, of source: String = "s") -> QueuedMessage {
    QueuedMessage(
      bytes: Array("\(source) \(position)".utf8), mark: DeliveryMark(source: source, position: position))
  }

  private func deliver(_ conversation: inout Conversation, _ positions: [Int]) {
    _ = conversation.deliver(positions.map { Self.message($0) } + [Self.message(70, of: "t")])
  }

  @Test("nothing, before anything came and once all was written")
  func nothing() {
    var conversation = Conversation.holding()
    #expect(conversation.session.pendingPosition(of: "s") == nil)
    deliver(&conversation, [3, 4])
    _ = conversation.written(2)
    #expect(conversation.session.pendingPosition(of: "s") == nil)
    #expect(!conversation.session.isPending(Self.message(4)))
  }

  @Test("what waits for a connect, and what is on its way with one", arguments: [false, true])
  func queuedOrUnderWay(isUnderWay: Bool) {
    var conversation = isUnderWay ? Conversation.holding() : Conversation.connected()
    deliver(&conversation, [3, 4])
    expect(conversation, has: [3, 4])
  }

  @Test("what came back because it could not be written")
  func failed() {
    var conversation = Conversation.holding()
    deliver(&conversation, [3, 4])
    _ = conversation.written(2, false)
    expect(conversation, has: [3, 4])
  }

  @Test("with the acknowledgment extension, what is written and not acknowledged")
  func unacknowledged() {
    var conversation = Conversation.holding(acknowledges: true)
    deliver(&conversation, [3, 4])
    _ = conversation.written(2)
    expect(conversation, has: [3, 4])
  }

  @Test("what is sent again stands before the others")
  func redelivered() {
    var conversation = Conversation.connected()
    deliver(&conversation, [5])
    _ = conversation.session.received(.redeliver([Self.message(3), Self.message(4)]))
    expect(conversation, has: [3, 4, 5])
  }

  private func expect(_ conversation: Conversation, has positions: [Int]) {
    #expect(conversation.session.pendingPosition(of: "s") == positions.max())
    #expect(conversation.session.pendingPosition(of: "t") == 70)
    #expect(conversation.session.pendingPosition(of: "u") == nil)
    #expect((1...9).filter { conversation.session.isPending(Self.message($0)) } == positions)
    // Another message of the same position is another.
    #expect(!conversation.session.isPending(QueuedMessage(bytes: [], mark: DeliveryMark(source: "s", position: 4))))
  }
}
