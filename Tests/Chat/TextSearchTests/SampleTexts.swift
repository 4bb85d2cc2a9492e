import TestSupport

/// Lines as people write them in chats: a few words come again and again, many are rare, and there are numbers.
struct SampleTexts {
  private static let common = """
    the to you and is a i it for we my your in of that order please not have on can will with are this be was at as thank \
    hello number yes no when has from parcel but they our good morning still here delivery would so if address day just \
    there do what send sent get help time one invoice paid account back know today tomorrow problem see now found
    """.split(separator: " ").map(String.init)
  private static let syllables = """
    ba be bi bo da de di do fa fe ga ge ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri ro sa se si so ta te ti \
    to va ve wa we zu ing ung ment tion
    """.split(separator: " ")
  private let rare: [String]

  init(_ random: inout SeededGenerator) {
    rare = (0..<6_000).map { _ in
      (0...Int.random(in: 1...3, using: &random)).map { _ in Self.syllables.randomElement(using: &random)! }.joined()
    }
  }

  func line(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 6...30, using: &random)).map { _ in word(&random) }.joined(separator: " ")
  }

  private func word(_ random: inout SeededGenerator) -> String {
    let kind = Double.random(in: 0..<1, using: &random)
    let rank = Double.random(in: 0..<1, using: &random)
    if kind < 0.02 { return String(Int.random(in: 0..<1_000_000, using: &random)) }
    if kind < 0.25 { return rare[Int(rank * rank * Double(rare.count))] }
    return Self.common[Int(rank * rank * Double(Self.common.count))]
  }
}
