/// Lines as people write them in chats, the same in every run: the words of `MessageText`, the first of them the most, many
/// rare ones, and numbers that never come again.
struct SearchTexts {
  private static let syllables = """
    ba be bi bo da de di do fa fe ga ge ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri ro sa se si so ta te ti \
    to va ve wa we zu ing ung ment tion
    """.split(separator: " ")
  private static let rareCount = 50_000

  private let rare: [String]

  init(_ random: inout SplitMix64) {
    rare = (0..<Self.rareCount).map { _ in
      (0..<Int.random(in: 2...4, using: &random)).map { _ in Self.syllables.randomElement(using: &random) ?? "" }
        .joined()
    }
  }

  /// Some 80 bytes.
  func line(_ random: inout SplitMix64) -> String {
    (0..<Int.random(in: 4...26, using: &random)).map { _ in word(&random) }.joined(separator: " ")
  }

  /// One to three words, the last of them often only begun, as somebody types.
  func query(_ random: inout SplitMix64) -> String {
    var words = (0..<Int.random(in: 1...3, using: &random)).map { _ in word(&random) }
    words[words.count - 1] = String(words[words.count - 1].prefix(Int.random(in: 1...6, using: &random)))
    return words.joined(separator: " ")
  }

  private func word(_ random: inout SplitMix64) -> String {
    let (kind, rank) = (Double.random(in: 0..<1, using: &random), Double.random(in: 0..<1, using: &random))
    if kind < 0.03 { return String(Int.random(in: 0..<10_000_000, using: &random)) }
    if kind < 0.25 { return rare[Int(rank * rank * rank * Double(rare.count))] }
    return MessageText.words[Int(rank * rank * Double(MessageText.words.count))]
  }
}
