import CarillonClient
import JSONEnvelope
import Synchronization
import TestSupport

/// Agents and customers who write, and somebody who asks how far the standby is.
final class StandbyLoad: Sendable {
  private struct Chat: Sendable {
    let serviceID: String
    let chatID: String
    let user: String
  }

  /// What has been seen from `begin` to `end`.
  struct Course: Sendable {
    /// The standby has all up to there on its disk, as the primary has said.
    var acknowledgedPosition: UInt64 = 0
    var recordsBehindMaximum = 0
    var secondsBehindMaximum = 0.0
    var acknowledgedCount = 0
    var refusedCount = 0
    var violations: [String] = []
  }

  fileprivate struct State {
    var texts = AcknowledgedTexts()
    var course = Course()
    var isOver = true
  }

  private static let chatCount = 4
  private static let askInterval = Duration.milliseconds(10)
  private static let refusedPause = Duration.milliseconds(20)
  private static let readLimit = Duration.seconds(30)

  private let chats: [Chat]
  private let agentToken: String
  private let adminToken: String
  private let state = Mutex(State())
  private let writing = Mutex<Task<Void, Never>?>(nil)

  private init(_ chats: [Chat], agentToken: String, adminToken: String) {
    (self.chats, self.agentToken, self.adminToken) = (chats, agentToken, adminToken)
  }

  /// Starts the chats.
  static func open(at port: Int, agentToken: String, adminToken: String) async throws -> StandbyLoad {
    try await NodeClient.with(port) { client in
      var chats: [Chat] = []
      for number in 1...chatCount {
        let user = "user-\(number)"
        let service = try await client.json(
          HTTPRequest(.post, "/genesys/1/service/request-chat", headers: [("gms_user", user)]))
        guard let serviceID = service["_id"]?.string else { throw ScriptViolation("no service: \(service)") }
        let started = try await client.json(
          HTTPRequest(
            .post, "/genesys/1/service/\(serviceID)/ixn/chat", headers: [("gms_user", user)],
            contentType: "application/x-www-form-urlencoded", body: formEncoded([("userDisplayName", user)])))
        guard let chatID = started["chatSessionId"]?.string else { throw ScriptViolation("no chat: \(started)") }
        _ = try await client.json(
          HTTPRequest(
            .post, "/agent/1/chats/\(chatID)/join", headers: [("Authorization", "Bearer \(agentToken)")],
            contentType: "application/json", body: JSONValue.object(["nickname": "Agent K"]).text))
        chats.append(Chat(serviceID: serviceID, chatID: chatID, user: user))
      }
      return StandbyLoad(chats, agentToken: agentToken, adminToken: adminToken)
    }
  }

  // MARK: Writing

  /// Writes until `end`, or until the server at that port has gone.
  /// - Parameter standby: of whom it is asked how far it is.
  func begin(at port: Int, standby: String, seed: UInt64) {
    state.withLock { ($0.course, $0.isOver) = (Course(), false) }
    writing.withLock { writing in
      writing = Task {
        let pool = HTTPPool(ServerAddress(host: "127.0.0.1", port: port))
        await withDiscardingTaskGroup { group in
          for (number, chat) in self.chats.enumerated() {
            group.addTask { await self.write(to: chat, pool, seed: seed &+ UInt64(number)) }
          }
          group.addTask { await self.watch(standby, pool) }
        }
        pool.shutDown()
      }
    }
  }

  /// Waits until nothing is under way any more.
  func end() async -> Course {
    state.withLock { $0.isOver = true }
    await writing.withLock { $0 }?.value
    return state.withLock { $0.course }
  }

  private var isOver: Bool { state.withLock { $0.isOver } }

  private func write(to chat: Chat, _ pool: HTTPPool, seed: UInt64) async {
    var random = SeededGenerator(seed: seed)
    var isAgent = false
    while !isOver {
      isAgent.toggle()
      let text = state.withLock { $0.texts.send(in: chat.chatID) }
      // Some are long, so that frames are of any length.
      let padding = String(repeating: "x", count: Int.random(in: 0...9, using: &random) == 0 ? 3_000 : 20)
      do {
        let response = try await pool.response(to: request("\(text) \(padding)", in: chat, isAgent: isAgent))
        state.withLock { $0.take(response, to: text, in: chat.chatID) }
        if response.status == 503 { try await Task.sleep(for: Self.refusedPause) }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...6, using: &random)))
      } catch {
        // The server is killed, or does not answer: whether it was done, nobody knows.
        return state.withLock { $0.course.refusedCount += 1 }
      }
    }
  }

  private func request(_ text: String, in chat: Chat, isAgent: Bool) -> HTTPRequest {
    guard isAgent else {
      return HTTPRequest(
        .post, "/genesys/1/service/\(chat.serviceID)/ixn/chat/send", headers: [("gms_user", chat.user)],
        contentType: "application/x-www-form-urlencoded", body: formEncoded([("message", text)]))
    }
    return HTTPRequest(
      .post, "/agent/1/chats/\(chat.chatID)/messages", headers: [("Authorization", "Bearer \(agentToken)")],
      contentType: "application/json", body: JSONValue.object(["text": .string(text)]).text)
  }

  private func watch(_ standby: String, _ pool: HTTPPool) async {
    while !isOver {
      // Asked before: what is acknowledged meanwhile may be behind what the answer says.
      let before = state.withLock { $0.texts.acknowledgedCount }
      do {
        let standing = try await NodeClient(pool).standing(of: standby, token: adminToken)
        if let standing { state.withLock { $0.take(standing, before: before) } }
        try await Task.sleep(for: Self.askInterval)
      } catch {
        return
      }
    }
  }

  // MARK: The verdict

  /// Compares what was said with what the server at a port has; nothing is under way.
  func judge(at port: Int, after takeover: AcknowledgedTexts.Takeover? = nil) async throws -> AcknowledgedTexts.Verdict
  {
    let found = try await NodeClient.with(port) { client in
      var found: [String: [String]] = [:]
      for chat in chats {
        let request = HTTPRequest(
          .get, "/agent/1/chats/\(chat.chatID)/transcript?after=0", headers: [("Authorization", "Bearer \(agentToken)")]
        )
        // One that waits for its standby refuses reads for a while.
        let transcript = try await patiently("the transcript of \(chat.chatID)", within: Self.readLimit) {
          try await client.jsonUnlessUnavailable(request)
        }
        let lines = transcript["lines"]?.array ?? []
        found[chat.chatID] = lines.flatMap { AcknowledgedTexts.texts(in: $0["text"]?.string ?? "") }
      }
      return found
    }
    return state.withLock { $0.texts.judge(found, after: takeover) }
  }
}

extension StandbyLoad.State {
  fileprivate mutating func take(_ response: HTTPResponse, to text: String, in chatID: String) {
    switch response.status {
    case 200:
      texts.acknowledge(text, in: chatID)
      course.acknowledgedCount += 1
    case 503: course.refusedCount += 1
    default:
      let answer = String(decoding: response.bodyBytes.prefix(300), as: UTF8.self)
      course.violations.append("\(text) was answered \(response.status): \(answer)")
    }
  }

  fileprivate mutating func take(_ standing: NodeClient.Standing, before: Int) {
    course.acknowledgedPosition = max(course.acknowledgedPosition, standing.acknowledged ?? 0)
    course.recordsBehindMaximum = max(course.recordsBehindMaximum, standing.recordsBehind ?? 0)
    course.secondsBehindMaximum = max(course.secondsBehindMaximum, standing.secondsBehind)
    if standing.recordsBehind == 0 { texts.told(before) }
  }
}
