import Bayeux
import Engine
import OptionKit

// Application channels that could never be, or that are not the operator's to open.
extension ConfigurationJudge {
  mutating func judgeChannels() {
    let key = ChannelOptions.keys.patterns
    for section in sections.keys.filter({ SectionKind(section: $0) == .channels }).sorted() {
      let patterns = OptionType.members(of: value(of: key.name, in: section)?.value ?? "")
      for pattern in patterns {
        if !ChannelName.isValidPattern(pattern) {
          refuse(key.name, in: section, "\(pattern.quoted) is no channel and no pattern of channels, such as /news/**")
        } else if ChannelRules().isReserved(pattern) {
          refuse(key.name, in: section, "\(pattern.quoted) is the server's own")
        }
      }
      guard patterns.isEmpty, let option = sections[section]?.keys.min(),
        let (_, origin) = value(of: option, in: section)
      else { continue }
      warn(
        ConfigurationProblem(
          origin, section: section, option: option, reason: "means nothing while option \(key.name) is not set"))
    }
  }
}
