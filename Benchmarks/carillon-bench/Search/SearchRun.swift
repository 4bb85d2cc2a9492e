import BenchReport
import TextSearch

/// Fills an index with chats as they go on beside each other, then asks it.
struct SearchRun {
  private static let target = (milliseconds: 200.0, share: 40.0)
  /// Chats that go on at the same time.
  private static let liveChats = 200
  /// As many hits as a page has, and one more, to know of the next.
  private static let hits = 101

  let lines: Int
  let ofEach: Int
  let searches: Int

  func measure() throws -> [Measurement] {
    var random = SplitMix64(seed: 3)
    let texts = SearchTexts(&random)
    Terminal.note("search: \(lines) lines of \(lines / ofEach) chats")
    let filled = fill(texts, &random)
    let share = Double(filled.index.bytes + filled.owners.bytes) * 100 / Double(filled.textBytes)
    let times = try ask(filled, texts, &random)
    let settings =
      "\(lines) lines of \(filled.textBytes / lines) bytes in chats of \(ofEach); \(searches) searches for 1 to 3 words, the \(Self.hits - 1) newest"
    return [
      Measurement("search.p50", times[50], "ms", settings: settings),
      Measurement(
        "search.p99", times[99], "ms", settings: PushGoal.atMost(Self.target.milliseconds, times[99]) + ", " + settings),
      Measurement("search.max", times.maximum, "ms", settings: "the slowest of \(times.count)"),
      Measurement(
        "search.index", share, "%",
        settings: PushGoal.atMost(Self.target.share, share) + ", of the texts' bytes, with what it knows of the chats"),
      Measurement(
        "search.taken", Double(lines) / filled.seconds, "lines/s",
        settings: "taken up, sorted and merged, on one processor"),
      Measurement(
        "search.tidying.max", filled.longestTidying, "ms", settings: "the longest piece of merging, beside the searches"
      ),
    ]
  }

  private struct Filled {
    var index = TextIndex(limits: TextSearchLimits(bytesMaximum: .max))
    var owners = TextOwners()
    var textBytes = 0
    var seconds = 0.0
    /// Milliseconds.
    var longestTidying = 0.0
  }

  private func fill(_ texts: SearchTexts, _ random: inout SplitMix64) -> Filled {
    var filled = Filled()
    var live = (0..<Self.liveChats).map { (number: $0, line: 0) }
    for line in 0..<lines {
      let text = texts.line(&random)
      filled.textBytes += text.utf8.count
      let began = ContinuousClock.now
      let turn = Int(random.next() % UInt64(live.count))
      let owner = filled.owners.note("0001-chat-of-somebody-\(live[turn].number)", through: UInt32(live[turn].line))
      filled.index.add(
        TextWords(of: text),
        at: TextPlace(seconds: 1_770_000_000 + UInt32(line / 10), owner: owner, number: UInt32(live[turn].line)))
      let tidied = Self.tidy(&filled.index)
      filled.longestTidying = max(filled.longestTidying, tidied)
      filled.seconds += (ContinuousClock.now - began).inSeconds
      live[turn].line += 1
      if live[turn].line == ofEach { live[turn] = (line + Self.liveChats, 0) }
    }
    return filled
  }

  /// - Returns: the milliseconds of the longest piece.
  private static func tidy(_ index: inout TextIndex) -> Double {
    var longest = 0.0
    while let due = index.dueTidying() {
      let began = ContinuousClock.now
      index.adopt(due.perform())
      longest = max(longest, (ContinuousClock.now - began).inSeconds * 1_000)
    }
    return longest
  }

  private func ask(
    _ filled: Filled, _ texts: SearchTexts, _ random: inout SplitMix64
  ) throws -> LatencyHistogram {
    var nanoseconds: [Int64] = []
    var found = 0
    for number in 0..<searches {
      let words = texts.query(&random)
      let began = ContinuousClock.now
      let query = try TextQuery(words)
      found += filled.index.find(query, limit: Self.hits) { number % 2 == 0 || $0 % 100 == 0 }.count
      nanoseconds.append((ContinuousClock.now - began).wholeNanoseconds)
    }
    guard found > searches else { throw BenchError("\(searches) searches have found no more than \(found) lines") }
    return LatencyHistogram(nanoseconds)
  }
}
