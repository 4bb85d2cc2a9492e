import ChatDomain
import EntityRuntime
import EventSourcing
import JournalFormat

/// What a message costs behind the wire.
extension MicroCase {
  static var core: [MicroCase] { [frames(of: 1), frames(of: 64), decide, evolve, timer] }

  private static let time = Timestamp(milliseconds: 1_800_000_000_000)
  private static let message = ChatCommand(.agentSend(agentID: "agent", text: text), policy: ChatPolicy())
  /// A transcript grows by them: what it allocates for that is spread over as many.
  private static let messagesOfChat = 256

  private static var decide: MicroCase {
    MicroCase(name: "chat.decide", about: "an agent's message") {
      let (chat, command) = (try openedChat(), message)
      return { count in
        for _ in 0..<count { keep(try chat.decide(command, now: time)) }
      }
    }
  }

  private static var evolve: MicroCase {
    MicroCase(name: "chat.evolve", about: "the event of an agent's message, \(messagesOfChat) to a chat") {
      let opened = try openedChat()
      let events = try opened.decide(message, now: time)
      return { count in
        var chat = opened
        for number in 0..<count {
          if number % messagesOfChat == 0 { chat = opened }
          for event in events { chat.evolve(event, at: time) }
        }
        keep(chat)
      }
    }
  }

  /// With a customer and an agent.
  private static func openedChat() throws -> ChatSession {
    var chat = ChatSession()
    let start = ChatStart(
      chatSessionID: "0001Ka8GWN3U00F2", userKey: "user-1", notifiesByComet: true, nickname: "Customer",
      subject: "Order", firstMessage: nil, pushTarget: nil, userID: "u1", secureKey: "s1", data: [])
    let actions: [ChatAction] = [
      .create(serviceName: "request-chat", data: []), .start(start),
      .agentJoin(agentID: "agent", nickname: "Agent K", role: .agent),
    ]
    for action in actions {
      for event in try chat.decide(ChatCommand(action, policy: ChatPolicy()), now: time) {
        chat.evolve(event, at: time)
      }
    }
    return chat
  }

  private static var timer: MicroCase {
    MicroCase(name: "timer", about: "one armed and cancelled among 10,000") {
      let wheel = TimerWheel(time: ManualTime(start: time))
      for number in 0..<10_000 { _ = wheel.schedule(afterMilliseconds: Int64(number)) {} }
      return { count in
        for number in 0..<count { wheel.cancel(wheel.schedule(afterMilliseconds: Int64(number % 60_000)) {}) }
      }
    }
  }

  private static func frames(of records: Int) -> MicroCase {
    MicroCase(
      name: "frame.encode.\(records)",
      about:
        "a frame with \(records == 1 ? "a message" : "\(records) messages"): encoded, compressed, hashed, checksummed"
    ) {
      let frames = FrameSource(records: records)
      return { count in
        for _ in 0..<count { try frames.encodeNext() }
      }
    }
  }
}

/// Frames as the journal's writer makes them, without salts that nobody could guess.
private final class FrameSource {
  private let records: Int
  private let key = Array("412-7d3f2a10-9c4e-4b21-8a55-000000000001".utf8)
  private let payload = Array(MicroCase.text.utf8)
  private var batch = RecordBatch(
    unitByteCountMaximum: FormatLimits.unitByteCountMaximum(segmentByteCount: FormatLimits.segmentByteCountMaximum))
  private var encoder = FrameEncoder(seed: 1, chainHash: .zero, epoch: 1) { _ in }
  private var position: UInt64 = 1

  init(records: Int) { self.records = records }

  func encodeNext() throws {
    let (first, milliseconds) = (position, Int64(1_800_000_000_000))
    batch.beginUnit(firstPosition: first, timeMilliseconds: milliseconds)
    for _ in 0..<records {
      try key.withUnsafeBytes { key in
        try payload.withUnsafeBytes { payload in
          try batch.append(
            kind: 1, key: key, sequence: position, timeMilliseconds: milliseconds, tag: 3, payload: payload)
        }
      }
      position += 1
    }
    for draft in batch.frames {
      try encoder.append(draft, of: batch, durablePosition: first - 1, durableOffset: 0)
    }
    batch.removeAll(keepingAtMost: 1_048_576)
    encoder.clearOutput()
  }
}
