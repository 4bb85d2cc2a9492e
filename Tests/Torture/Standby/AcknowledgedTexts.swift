/// The texts that were written, and what was said of each: a value that neither asks nor writes.
///
/// ```
///   sent ──> acknowledged ──> lost, with a take-over
///     │           ^
///     └───────────┴── found, or else lost
/// ```
struct AcknowledgedTexts: Sendable {
  private enum Fate { case sent, acknowledged, lost }

  private struct Entry {
    let text: String
    var fate = Fate.sent
    /// The how manieth acknowledgement.
    var ordinal = 0
  }

  /// A standby has taken the place of a primary.
  struct Takeover: Sendable {
    /// Nothing was to be acknowledged before the standby had it.
    let waits: Bool
    /// Texts of records that only the former primary has.
    let onlyThere: Set<String>
  }

  struct Verdict: Sendable {
    var violations: [String] = []
    /// Acknowledged, and not there any more.
    var missingCount = 0
  }

  /// What each text begins with, so that it is found in a record.
  private static let mark = "torture-"

  /// In the order in which they were sent, each to its chat.
  private var chats: [String: [Entry]] = [:]
  private var sentCount = 0
  private(set) var acknowledgedCount = 0
  /// So many of them the standby has, as the primary has said.
  private var toldCount = 0

  /// - Returns: a text that was never sent before.
  mutating func send(in chatID: String) -> String {
    sentCount += 1
    let text = "\(Self.mark)\(sentCount)"
    chats[chatID, default: []].append(Entry(text: text))
    return text
  }

  mutating func acknowledge(_ text: String, in chatID: String) {
    guard let index = chats[chatID]?.lastIndex(where: { $0.text == text }) else { return }
    acknowledgedCount += 1
    chats[chatID]?[index].fate = .acknowledged
    chats[chatID]?[index].ordinal = acknowledgedCount
  }

  /// The standby has all of the first `count` that were acknowledged.
  mutating func told(_ count: Int) { toldCount = max(toldCount, count) }

  /// The texts among all that there is to read somewhere.
  static func texts(in content: String) -> [String] {
    content.matches(of: /torture-\d+/).map { String($0.output) }
  }

  /// Compares what was said with what is there, once nothing is under way and both sides have the same.
  ///
  /// - Parameters:
  ///   - found: the texts of each chat, in order.
  ///   - takeover: nil if the primary is the one that has acknowledged.
  mutating func judge(_ found: [String: [String]], after takeover: Takeover? = nil) -> Verdict {
    var verdict = Verdict()
    for (chatID, entries) in chats.sorted(by: { $0.key < $1.key }) {
      let texts = found[chatID] ?? []
      let there = Set(texts)
      let sent = entries.map(\.text)
      if there.count < texts.count { verdict.violations.append("\(chatID): a text is there twice") }
      let invented = there.subtracting(sent)
      if !invented.isEmpty { verdict.violations.append("\(chatID): never sent: \(invented.sorted().prefix(5))") }
      if texts.filter({ !invented.contains($0) }) != sent.filter(there.contains) {
        verdict.violations.append("\(chatID): texts are out of order")
      }
      for index in entries.indices {
        judge(chatID, index, isThere: there.contains(entries[index].text), takeover, &verdict)
      }
    }
    toldCount = acknowledgedCount
    return verdict
  }

  private mutating func judge(
    _ chatID: String, _ index: Int, isThere: Bool, _ takeover: Takeover?, _ verdict: inout Verdict
  ) {
    guard let entry = chats[chatID]?[index] else { return }
    switch (entry.fate, isThere) {
    case (.acknowledged, true), (.lost, false): break
    case (.lost, true): verdict.violations.append("\(entry.text) was lost, and has come back")
    // Whoever can read it may rely on it.
    case (.sent, true): acknowledge(entry.text, in: chatID)
    case (.sent, false): chats[chatID]?[index].fate = .lost
    case (.acknowledged, false):
      chats[chatID]?[index].fate = .lost
      verdict.missingCount += 1
      if let wrong = wrong(entry, takeover) { verdict.violations.append("\(entry.text) is lost, \(wrong)") }
    }
  }

  /// Why it may not be lost; nil if it may.
  private func wrong(_ entry: Entry, _ takeover: Takeover?) -> String? {
    guard let takeover else { return "and nobody has taken over" }
    if takeover.waits { return "though its acknowledgement waited for the standby" }
    if entry.ordinal <= toldCount { return "though the primary had said that the standby has everything" }
    guard takeover.onlyThere.contains(entry.text) else {
      return "and not among the records that only the former primary has"
    }
    return nil
  }
}
