import ArgumentParser
import Journal

#if canImport(Glibc)
  import Glibc
#endif

/// Whether and how a long command says how far it is.
struct ProgressArguments: ParsableArguments {
  @Flag(inversion: .prefixedNo, help: "Show progress on standard error; by default only on a terminal.")
  var progress: Bool?

  /// - Parameter segmentCount: segments that will be read in all.
  func line(segmentCount: Int) -> ProgressLine {
    let isTerminal = isatty(STDERR_FILENO) != 0
    return ProgressLine(isShown: progress ?? isTerminal, isTerminal: isTerminal, segmentCount: segmentCount)
  }
}

/// One line on standard error that is written over again and again: `48%  712 MB/s  ETA 0:12`.
///
/// Nothing is shown in the first second: most journals are read by then.
struct ProgressLine {
  let isShown: Bool
  let isTerminal: Bool
  let segmentCount: Int
  private let start = ContinuousClock.now
  private var lastShown: ContinuousClock.Instant?

  init(isShown: Bool, isTerminal: Bool, segmentCount: Int) {
    self.isShown = isShown
    self.isTerminal = isTerminal
    self.segmentCount = segmentCount
  }

  mutating func update(_ report: VerifyReport) {
    let now = ContinuousClock.now
    guard isShown, now - start >= .seconds(1), lastShown.map({ now - $0 >= .milliseconds(250) }) ?? true else { return }
    lastShown = now
    let text = Self.text(
      segments: report.segments, of: segmentCount, byteCount: report.plainByteCount,
      seconds: (now - start) / .seconds(1))
    Console.writeProgress(isTerminal ? "\r\u{1B}[K\(text)" : text + "\n")
  }

  /// Takes the line away.
  func end() {
    if lastShown != nil, isTerminal { Console.writeProgress("\r\u{1B}[K") }
  }

  static func text(segments: Int, of segmentCount: Int, byteCount: UInt64, seconds: Double) -> String {
    let total = max(segmentCount, segments, 1)
    let rate = Int(Double(byteCount) / max(seconds, 0.001) / 1_000_000)
    let left = Int((seconds * Double(total - segments) / Double(max(segments, 1))).rounded(.up))
    let rest = left % 60
    return "\(segments * 100 / total)%  \(segments) of \(total) segments  \(rate) MB/s  "
      + "ETA \(left / 60):\(rest < 10 ? "0" : "")\(rest)"
  }
}
