/// What of a monitor's findings is news: each is told when it comes, once an hour while it lasts, and when it is over.
public struct AlarmBoard: Sendable {
  public enum News: Sendable, Equatable {
    case raised(MonitorFinding)
    case over(MonitorFinding.Kind)
  }

  /// While it lasts.
  public static let repeatSeconds: UInt64 = 3_600

  private var toldUnixSeconds: [MonitorFinding.Kind: UInt64] = [:]

  public init() {}

  /// - Parameter findings: all that is wrong now.
  public mutating func received(_ findings: [MonitorFinding], unixSeconds now: UInt64) -> [News] {
    var news: [News] = []
    let kinds = Set(findings.map(\.kind))
    // A log that cannot be asked any more has not mended its fork.
    let isKnown = !kinds.contains { $0.hidesOthers }
    for kind in MonitorFinding.Kind.allCases where isKnown && toldUnixSeconds[kind] != nil && !kinds.contains(kind) {
      toldUnixSeconds[kind] = nil
      news.append(.over(kind))
    }
    for finding in findings {
      // A clock that was set back tells too often rather than not at all.
      if let told = toldUnixSeconds[finding.kind], now >= told, now - told < Self.repeatSeconds { continue }
      toldUnixSeconds[finding.kind] = now
      news.append(.raised(finding))
    }
    return news
  }
}
