import TestSupport
import Testing

@testable import TextSearch

@Suite("An index of texts, against one that looks at each of them")
struct RandomIndexTests {
  /// Texts by their places, as they are.
  private struct Reference {
    var texts: [TextPlace: [String]] = [:]

    /// - Parameter words: the last one is a beginning.
    func find(_ words: [String], before place: TextPlace?, limit: Int, where fits: (UInt32) -> Bool) -> [TextPlace] {
      let found = texts.filter { found in
        fits(found.key.owner) && place.map { found.key < $0 } ?? true
          && words.dropLast().allSatisfy(found.value.contains)
          && found.value.contains { $0.hasPrefix(words[words.count - 1]) }
      }
      return Array(found.keys.sorted(by: >).prefix(limit))
    }
  }

  private static let words = (0..<60).map { number in
    String(repeating: String(UnicodeScalar(UInt8(97 + number % 5))), count: 1 + number % 3) + "\(number % 11)"
  }

  private static func limits(_ random: inout SeededGenerator) -> TextSearchLimits {
    var limits = TextSearchLimits(bytesMaximum: 1 << 30)
    limits.headTextsMaximum = Int.random(in: 1...20, using: &random)
    limits.segmentsMerged = Int.random(in: 2...5, using: &random)
    limits.segmentTextsMaximum = Int.random(in: 50...400, using: &random)
    limits.goneShare = Int.random(in: 1...8, using: &random)
    return limits
  }

  @Test("both find the same, whatever was added, removed, merged and asked in between", arguments: 1...12)
  func same(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (index, reference) = (TextIndex(limits: Self.limits(&random)), Reference())
    var (owners, free) = (Set<UInt32>(), Array(UInt32(0)..<40))
    var numbers: [UInt32: UInt32] = [:]
    var underWay: TextTidying.Result?
    for step in 0..<1_500 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<12:
        guard let owner = Bool.random(using: &random) ? free.last : owners.sorted().randomElement(using: &random)
        else { continue }
        if free.last == owner { free.removeLast() }
        owners.insert(owner)
        numbers[owner, default: 0] += UInt32.random(in: 1...300, using: &random)
        let place = TextPlace(
          seconds: UInt32.random(in: 1_000...3_000, using: &random), owner: owner, number: numbers[owner] ?? 0)
        let words = (0..<Int.random(in: 1...12, using: &random)).map { _ in Self.words.randomElement(using: &random)! }
        reference.texts[place] = words
        index.add(TextWords(of: words.joined(separator: ", ")), at: place)
      case 12:
        guard let owner = owners.sorted().randomElement(using: &random) else { continue }
        owners.remove(owner)
        reference.texts = reference.texts.filter { $0.key.owner != owner }
        index.remove([owner])
        if Bool.random(using: &random) {
          index.tidy(of: [owner])
          #expect(index.gone[owner] == nil)
        }
      case 13: underWay = index.dueTidying()?.perform() ?? underWay
      case 14:
        // It may be an old one.
        if let result = underWay { index.adopt(result) }
      case 15:
        index.tidy()
        #expect(index.segments.allSatisfy { $0.gone * index.limits.goneShare < max(1, $0.segment.count) })
      default:
        let words = (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.words.randomElement(using: &random)! }
        let asked = words.dropLast() + [String(words[words.count - 1].prefix(Int.random(in: 1...4, using: &random)))]
        let before = reference.texts.keys.sorted().randomElement(using: &random)
        let odd = UInt32.random(in: 0...2, using: &random)
        let limit = Int.random(in: 1...30, using: &random)
        func fits(_ owner: UInt32) -> Bool { odd == 0 || owner % 3 == odd }
        let found = index.find(
          try TextQuery(asked.joined(separator: " ")), before: before, limit: limit, where: fits)
        let expected = reference.find(Array(asked), before: before, limit: limit, where: fits)
        #expect(found == expected, "seed \(seed), step \(step): \(asked)")
      }
      let freed = index.takeFreed()
      #expect(Set(freed).count == freed.count && owners.isDisjoint(with: freed))
      for owner in freed { numbers[owner] = nil }
      free = freed + free
      #expect(index.count >= reference.texts.count)
    }
  }

  @Test("owners are found by key and by number, whatever was taken out in between", arguments: 1...8)
  func owners(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (owners, reference) = (TextOwners(), [String: TextOwners.Mark]())
    var removed: [UInt32] = []
    for _ in 0..<6_000 {
      let key = "1-\(Int.random(in: 0..<400, using: &random))"
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let through = UInt32.random(in: 0...99, using: &random)
        let number = owners.note(key, through: through)
        let isNew = !reference.contains { $0.key != key && $0.value.number == number } && !removed.contains(number)
        #expect(isNew && (reference[key].map { $0.number == number } ?? true))
        reference[key] = TextOwners.Mark(number: number, through: through)
      case 5..<9:
        let number = owners.remove(key)
        #expect(number == reference[key]?.number)
        reference[key] = nil
        if let number { removed.append(number) }
      default:
        for number in removed { owners.free(number) }
        removed = []
      }
      #expect(owners.mark(of: key) == reference[key] && owners.count == reference.count)
    }
    for (key, mark) in reference { #expect(owners.mark(of: key) == mark && owners.key(of: mark.number) == key) }
    for number in removed { #expect(owners.key(of: number) == nil) }
    #expect(owners.key(of: .max) == nil && owners.mark(of: "nobody") == nil)
  }
}
