import SystemPackage

/// Every bit of a journal flipped, one at a time.
///
/// A flip in a record is damage that names its file; a flip in what holds no record (the last confirming frame, the
/// zeros behind) loses nothing.
struct FlipTest: TortureTest {
  static let name = "flips"
  static let purpose = "every bit of a 16 KiB journal flipped"
  private static let bitsInCase = 4096

  private let journals: [IntactJournal]
  /// The long form flips packed and redacted segments and snapshots too.
  private let others: ForgedFiles?

  init(_ plan: Plan) throws {
    others = plan.isLong ? try ForgedFiles(seed: plan.seed) : nil
    journals = try (0..<plan.count(1)).map {
      try IntactJournal(segmentByteCount: 16 * 1024, seed: plan.seed(of: $0), fillPercent: 70)
    }
  }

  private var casesInJournal: Int { 16 * 1024 * 8 / Self.bitsInCase }
  private var otherCases: [(path: FilePath, first: Int)] {
    guard let others else { return [] }
    return [others.packed, others.snapshot].flatMap { path in
      stride(from: 0, to: others.bitCount(of: path), by: Self.bitsInCase).map { (path, $0) }
    }
  }

  var caseCount: Int { journals.count * casesInJournal + otherCases.count }

  func run(_ number: Int) throws -> CaseResult {
    var result = CaseResult(count: 0)
    guard number < journals.count * casesInJournal else {
      let (path, first) = otherCases[number - journals.count * casesInJournal]
      for bit in first..<min(first + Self.bitsInCase, others?.bitCount(of: path) ?? 0) {
        result.count += 1
        if let wrong = others?.judge(path, isForged: false, { $0[bit / 8] ^= UInt8(1) << UInt8(bit % 8) }) {
          result.violations.append("\(path), bit \(bit): \(wrong)")
        }
      }
      return result
    }
    let journal = journals[number / casesInJournal]
    let first = number % casesInJournal * Self.bitsInCase
    for bit in first..<(first + Self.bitsInCase) {
      var bytes = journal.bytes
      bytes[bit / 8] ^= UInt8(1) << UInt8(bit % 8)
      let disk = journal.disk(with: bytes)
      result.count += 1
      // The reader first: it must not depend on what a start repairs.
      for (who, outcome) in [("reader", journal.read(disk)), ("start", journal.start(on: disk))] {
        switch outcome {
        case .records(journal.records.count): break
        case .records(let count):
          result.violations.append(
            "bit \(bit), \(who): \(count) of \(journal.records.count) records left, and nothing said")
        case .refused(let error) where error.namesFile: break
        case .refused(let error): result.violations.append("bit \(bit), \(who): the report names no file: \(error)")
        case .wrong(let text): result.violations.append("bit \(bit), \(who): \(text)")
        }
      }
    }
    return result
  }
}
