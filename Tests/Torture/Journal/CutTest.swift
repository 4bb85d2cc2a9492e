import Journal
import JournalFormat
import SimulatedDisk
import TestSupport

/// A journal cut at every byte, with nothing, zeros or noise behind the cut.
///
/// With zeros or noise up to its full length it is what a crash may leave; with nothing, somebody has cut the file.
struct CutTest: TortureTest {
  static let name = "cuts"
  static let purpose = "every cut of a 64 KiB journal, with nothing, zeros or noise behind it"
  private static let cutsInCase = 1024
  private static let byteCount = 64 * 1024

  private let plan: Plan
  private let journals: [IntactJournal]

  init(_ plan: Plan) throws {
    self.plan = plan
    journals = try (0..<plan.count(1)).map {
      try IntactJournal(segmentByteCount: Self.byteCount, seed: plan.seed(of: $0))
    }
  }

  private var casesInJournal: Int { Self.byteCount / Self.cutsInCase }
  var caseCount: Int { journals.count * casesInJournal }

  func run(_ number: Int) throws -> CaseResult {
    var result = CaseResult(count: 0)
    let journal = journals[number / casesInJournal]
    let first = number % casesInJournal * Self.cutsInCase
    // The last case has the uncut one too: 65,537 in all.
    let end = first + Self.cutsInCase + (first + Self.cutsInCase == Self.byteCount ? 1 : 0)
    for cut in first..<end {
      result.count += 1
      for tail in Tail.allCases {
        let bytes = tail.bytes(after: journal.bytes[..<cut], to: Self.byteCount, seed: plan.seed ^ UInt64(cut))
        if let wrong = Self.judge(journal, bytes, cut: cut, tail) {
          result.violations.append("cut at \(cut), then \(tail): \(wrong)")
        }
      }
    }
    return result
  }

  private static func judge(_ journal: IntactJournal, _ bytes: [UInt8], cut: Int, _ tail: Tail) -> String? {
    let disk = journal.disk(with: bytes)
    switch journal.start(on: disk) {
    case .refused(let error) where bytes.count < byteCount && error.isCutShort:
      return disk.contents(of: IntactJournal.segment) == bytes ? nil : "refused, but changed"
    case .records where bytes.count < byteCount:
      return "a file that was cut is taken for one that a crash tore"
    case .records(let count):
      // What stands behind the cut may happen to be what stood there: one byte in 256 is.
      var intact = cut
      while intact < bytes.count, bytes[intact] == journal.bytes[intact] { intact += 1 }
      let expected = journal.recordCount(before: intact)
      return count == expected ? nil : "\(count) records, \(expected) were whole before the cut"
    case .refused(let error):
      // Half of a header is no segment any more; behind it, a cut is torn, not damaged.
      if cut < FormatLimits.segmentHeaderByteCount, error.namesFile { return nil }
      return "refused: \(error)"
    case .wrong(let text):
      return text
    }
  }

  private enum Tail: CaseIterable {
    case nothing, zeros, noise

    func bytes(after kept: ArraySlice<UInt8>, to count: Int, seed: UInt64) -> [UInt8] {
      switch self {
      case .nothing:
        return Array(kept)
      case .zeros:
        return kept + [UInt8](repeating: 0, count: count - kept.count)
      case .noise:
        // A torn write: noise for the length of a sector, of a large write, or to the end.
        var generator = SeededGenerator(seed: seed)
        let length = min(count - kept.count, [512, 4096, count][Int(generator.next() % 3)])
        var bytes = Array(kept)
        bytes.reserveCapacity(count)
        for _ in 0..<length { bytes.append(UInt8(truncatingIfNeeded: generator.next())) }
        return bytes + [UInt8](repeating: 0, count: count - bytes.count)
      }
    }
  }
}

extension JournalError {
  fileprivate var isCutShort: Bool { if case .cutShort = self { true } else { false } }
}
