import Engine
import OptionKit

// What is done with one journal only, of a server that is to have several.
extension ConfigurationJudge {
  mutating func judgePartitions() {
    let key = JournalOptions.keys.partitions
    guard let count = value(of: key, in: .server).flatMap({ Int($0.value) }), count > 1 else { return }
    let reason = "cannot be had with \(count) \(key.name): it is of one journal only"
    refuse(LogOptions.keys.origin, in: .server, reason)
    if let (waits, origin) = value(of: Self.waits, in: SectionKind.server.form), waits == "true" {
      refuse(ConfigurationProblem(origin, section: SectionKind.server.form, option: Self.waits, reason: reason))
    }
  }

  private static let waits = "standby.wait"
}
