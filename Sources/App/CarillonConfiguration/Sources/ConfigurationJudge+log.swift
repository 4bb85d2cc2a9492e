import Engine
import NetworkAddress
import OptionKit

// A log that strangers could not check as it is configured.
extension ConfigurationJudge {
  mutating func judgeLog() {
    let (keys, key) = (LogOptions.keys, JournalOptions.keys.checkpointKey)
    judgeWitnesses()
    guard let origin = value(of: keys.origin, in: .server)?.value else { return warnOfNoLog() }
    if let flaw = LogSettings.flaw(ofOrigin: origin) { refuse(keys.origin, in: .server, flaw) }
    if value(of: key, in: .server) == nil { refuse(keys.origin, in: .server, "needs option \(key.name) beside it") }
    if value(of: Self.tree, in: SectionKind.server.form)?.value == "false" {
      refuse(keys.origin, in: .server, "needs \(Self.tree) to be true")
    }
  }

  private static let tree = "journal.tree"

  private mutating func judgeWitnesses() {
    let keys = LogOptions.keys
    let members = OptionType.members(of: value(of: keys.witnesses, in: .server)?.value ?? "")
    var known: [LogSettings.Witness] = []
    for member in members {
      do throws(LogSettings.WitnessFlaw) {
        let witness = try LogSettings.witness(member)
        if !SecureURL.isSecure(witness.url) || witness.url.contains(where: { $0 == "?" || $0 == "#" }) {
          refuse(
            keys.witnesses, in: .server,
            "the URL of \(witness.name) must be https, unless it is on loopback, without ? and #")
        }
        if known.contains(where: { $0.key == witness.key }) {
          refuse(keys.witnesses, in: .server, "\(witness.name) stands in it twice")
        }
        known.append(witness)
      } catch {
        refuse(keys.witnesses, in: .server, "\(member.quoted) \(error.reason)")
      }
    }
    if members.count > LogSettings.witnessesMaximum {
      refuse(keys.witnesses, in: .server, "has more than \(LogSettings.witnessesMaximum) members")
    }
    if let quorum = value(of: keys.quorum, in: .server).flatMap({ Int($0.value) }), quorum > members.count {
      refuse(
        keys.quorum, in: .server, "is more than the \(members.count) witnesses of \(keys.witnesses.name)")
    }
  }

  private mutating func warnOfNoLog() {
    for option in LogOptions.options.map(\.name) {
      guard let (_, origin) = value(of: option, in: SectionKind.server.form) else { continue }
      warn(
        ConfigurationProblem(
          origin, section: SectionKind.server.form, option: option,
          reason: "means nothing while option \(LogOptions.keys.origin.name) is not set"))
    }
  }
}
