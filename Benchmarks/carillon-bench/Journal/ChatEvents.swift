import ChatDomain
import EntityRuntime
import EventSourcing
import Journal

/// Chats as a server would journal them: decided by the real decider, encoded by the real codec.
struct ChatEvents {
  private var chats: [ChatSession]
  /// The service ids; the same for the same number of chats.
  let keys: [String]
  private let unattended: Int
  private var sequences: [UInt64]
  private var random = SplitMix64(seed: 42)
  /// Now: a chat that is older than its time to live would end as soon as a server starts.
  private var clock = SystemTime().now
  private var next = 0

  /// - Parameters:
  ///   - count: chats that run at the same time.
  ///   - unattended: the first so many of them have no agent: they wait.
  init(chats count: Int, unattended: Int = 0) {
    self.unattended = unattended
    var random = SplitMix64(seed: 7)
    chats = Array(repeating: ChatSession(), count: count)
    sequences = Array(repeating: 0, count: count)
    keys = (0..<count).map { _ in "412-" + Self.uuid(&random) }
  }

  /// Whose the chat at this place is.
  static func userKey(_ index: Int) -> String { "user-\(index)" }

  /// Who is in the chats.
  static let agentID = "agent"

  /// What opens every chat: the instance, the start and, where there is one, the agent's join.
  mutating func opening() throws -> [PendingRecord] {
    var records: [PendingRecord] = []
    for index in chats.indices {
      let start = ChatStart(
        chatSessionID: String(Self.uuid(&random).filter { $0 != "-" }.prefix(16)), userKey: Self.userKey(index),
        notifiesByComet: true, nickname: "Customer \(index)", subject: "Order \(index)", firstMessage: nil,
        pushTarget: nil, userID: "u\(index)", secureKey: "s\(index)", data: [])
      var actions: [ChatAction] = [.create(serviceName: "request-chat", data: []), .start(start)]
      if index >= unattended {
        actions.append(.agentJoin(agentID: Self.agentID, nickname: "Agent K", role: .agent))
      }
      for action in actions { records += try perform(action, on: index) }
    }
    return records
  }

  /// The next message, of a customer or an agent in turn, chat after chat.
  mutating func message() throws -> [PendingRecord] {
    let index = next % chats.count
    let text = MessageText.make(&random)
    let isAgent = index >= unattended && (next / chats.count) % 2 == 0
    next += 1
    clock = clock.advanced(by: .milliseconds(next % 3))
    return try perform(isAgent ? .agentSend(agentID: Self.agentID, text: text) : .customerSend(text: text), on: index)
  }

  private mutating func perform(_ action: ChatAction, on index: Int) throws -> [PendingRecord] {
    let events = try chats[index].decide(ChatCommand(action, policy: ChatPolicy()), now: clock)
    return events.map { event in
      chats[index].evolve(event, at: clock)
      sequences[index] += 1
      let stored = StoredEvent(event)
      return PendingRecord(
        kind: EntityKind.chatSession.rawValue, key: keys[index], sequence: sequences[index],
        timeMilliseconds: clock.milliseconds, tag: stored.tag, payload: stored.payload)
    }
  }

  private static func uuid(_ random: inout SplitMix64) -> String {
    let digits = Array("0123456789abcdef")
    return String((0..<36).map { [8, 13, 18, 23].contains($0) ? "-" : digits[Int(random.next() % 16)] })
  }
}
