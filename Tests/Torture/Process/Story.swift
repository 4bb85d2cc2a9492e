import TestSupport

/// Chats with a victim, and what must be there whenever it is started again.
actor Story {
  struct Chat: Sendable {
    let user: String
    let service: String
    let chatID: String
    /// In the order in which they were sent; unacknowledged ones may be there or not.
    var texts: [(text: String, isAcknowledged: Bool)] = []
    var redaction = Redaction.none
    /// Texts before this one were there when the redaction was asked for, those from `afterRedaction` on were sent after
    /// it was done; those between may have come before it or after it.
    var beforeRedaction = 0
    var afterRedaction = Int.max
  }

  enum Redaction: Sendable { case none, begun, done }

  private var chats: [Chat] = []
  private var generator: SeededGenerator
  private var count = 0
  /// Answers that no victim may give.
  private(set) var violations: [String] = []

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Talks to the victim until it dies, or for so many commands each of four customers; acknowledged or not is noted.
  func play(with victim: VictimProcess, commandCount: Int) async {
    await withDiscardingTaskGroup { group in
      for _ in 0..<4 { group.addTask { await self.customer(victim, commandCount) } }
      group.addTask { await self.operator(victim, commandCount / 4) }
    }
  }

  private func customer(_ victim: VictimProcess, _ commandCount: Int) async {
    guard let index = await begin(victim) else { return }
    for _ in 0..<commandCount {
      count += 1
      let text = "t\(count)"
      let isAnswer = generator.next() % 2 == 0
      let chat = chats[index]
      let command = isAnswer ? "answer \(chat.chatID) \(text)" : "say \(chat.service) \(text)"
      let place = chats[index].texts.count
      chats[index].texts.append((text, false))
      switch await victim.ask(command) {
      case .ok: chats[index].texts[place].isAcknowledged = true
      case .died: return
      case .error(let reason):
        if chats[index].redaction == .none { violations.append("\(command) was refused: \(reason)") }
        return
      }
    }
  }

  private func begin(_ victim: VictimProcess) async -> Int? {
    count += 1
    let user = "user-\(count)"
    let service = generator.next() % 2 == 0 ? "at-once" : "delayed"
    guard case .ok(let ids) = await victim.ask("chat \(service) \(user)") else { return nil }
    let words = ids.split(separator: " ").map(String.init)
    chats.append(Chat(user: user, service: words[0], chatID: words[1]))
    let index = chats.count - 1
    if generator.next() % 3 == 0, await victim.ask("background \(user)") == .died { return nil }
    guard case .ok = await victim.ask("join \(words[1])") else { return nil }
    return index
  }

  /// What a server does beside its service, at random.
  private func `operator`(_ victim: VictimProcess, _ commandCount: Int) async {
    for _ in 0..<commandCount {
      switch generator.next() % 8 {
      case 0..<3: if await victim.ask("snapshot") == .died { return }
      case 3, 4: if await victim.ask("sleep") == .died { return }
      case 5, 6: if await victim.ask("tidy") == .died { return }
      default: await redact(victim)
      }
    }
  }

  private func redact(_ victim: VictimProcess) async {
    guard
      let index = chats.indices.filter({ $0 % 3 == 0 && chats[$0].redaction == .none }).randomElement(using: &generator)
    else {
      return
    }
    chats[index].redaction = .begun
    chats[index].beforeRedaction = chats[index].texts.prefix { $0.isAcknowledged }.count
    if case .ok = await victim.ask("redact \(chats[index].user)") {
      chats[index].redaction = .done
      chats[index].afterRedaction = chats[index].texts.count
    }
  }

  /// Asks a victim that was started again for everything: nil, or what is wrong.
  func check(_ victim: VictimProcess) async -> String? {
    for chat in chats {
      guard case .ok(let text) = await victim.ask("transcript \(chat.chatID)") else {
        return "the transcript of \(chat.chatID) is gone"
      }
      if let wrong = Self.judge(chat, text) { return "\(chat.chatID) of \(chat.user): \(wrong)" }
    }
    return nil
  }

  private static func judge(_ chat: Chat, _ transcript: String) -> String? {
    let lines = transcript.split(separator: " ").map { $0.split(separator: "|", omittingEmptySubsequences: false) }
    let positions = lines.compactMap { Int($0[0]) }
    if positions != Array(positions.indices.map { $0 + 1 }) { return "positions are not gap-free: \(positions)" }
    let found = lines.map { String($0[1]) }.filter { $0.first == "t" && Int($0.dropFirst()) != nil }
    if Set(found).count != found.count { return "a text is there twice" }
    var chat = chat
    if chat.redaction != .none {
      let early = chat.texts.prefix(chat.beforeRedaction).map(\.text)
      let isErased = !early.contains(where: found.contains)
      if !isErased, chat.redaction == .done { return "erased texts are there again" }
      // Before the redaction as a whole, or after it as a whole.
      if !isErased, !early.allSatisfy(found.contains) { return "a part of the texts is erased" }
      if isErased {
        for index in chat.texts.indices.prefix(chat.afterRedaction) { chat.texts[index].isAcknowledged = false }
      }
    }
    let sent = chat.texts.map(\.text)
    if let invented = found.first(where: { !sent.contains($0) }) { return "\(invented) was never sent" }
    let lost = chat.texts.filter { $0.isAcknowledged && !found.contains($0.text) }
    if !lost.isEmpty { return "acknowledged texts are lost: \(lost.map(\.text))" }
    if found != sent.filter(found.contains) { return "texts are out of order: \(found)" }
    return nil
  }
}
