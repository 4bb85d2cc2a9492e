package import Bayeux
import EngineKit
package import OptionKit

/// What operators say of application channels: a section `channels.<name>` for each rule.
package struct ChannelOptions: OptionTable {
  package static let keys = ChannelOptions()

  private static let grants = OptionForm<[String]>.choices(ChannelGrant.allCases.map(\.rawValue))

  package let patterns = OptionKey(
    "patterns", in: [.channels], .list, default: [],
    "channels that the rule opens, and patterns of them: /news/**, /quotes/*", takes: .reload)
  package let subscribe = OptionKey(
    "subscribe", in: [.channels], grants, default: [],
    "which sessions may subscribe: all, those of a gms_user, those with an access token", takes: .reload)
  package let publish = OptionKey(
    "publish", in: [.channels], grants, default: [], "which sessions may publish; back ends always may",
    takes: .reload)
  package let isLazy = OptionKey(
    "lazy", in: [.channels], .flag, default: false,
    "what is published there waits for something to go out with, cometd.maxLazyTimeout at most", takes: .reload)

  package init() {}
}

extension ChannelRules {
  /// As the sections say it, in the order of their names.
  init(_ options: Options, eventChannel: String) {
    let keys = ChannelOptions.keys
    let names = options.sections.keys.filter { $0.hasPrefix(SectionKind.channelsPrefix) }.sorted()
    let rules = names.map { name in
      let section = SectionReader(options.sections[name])
      func grants(_ key: OptionKey<[String]>) -> Set<ChannelGrant> {
        Set(section[key].compactMap { ChannelGrant(rawValue: $0) })
      }
      return ChannelRule(
        patterns: section[keys.patterns].filter { ChannelName.isValidPattern($0) },
        subscribers: grants(keys.subscribe), publishers: grants(keys.publish), isLazy: section[keys.isLazy])
    }
    self.init(rules, eventChannel: eventChannel)
  }
}

extension ChannelLimits: OptionSettings {
  package static let fields: [OptionField<Self>] = [
    OptionField(
      "cometd.maxLazyTimeout", \.lazyMilliseconds, .integer(1...3_600_000),
      "milliseconds that a message on a lazy channel waits at most"),
    OptionField(
      "limits.channels", \.channelsMaximum, .integer(1...100_000_000),
      "application channels that somebody is subscribed to, or that were published on a moment ago"),
    OptionField(
      "limits.channel_subscriptions_by_session", \.subscriptionsBySessionMaximum, .integer(1...100_000),
      "application channels and patterns that one Comet session is subscribed to"),
    OptionField(
      "limits.channel_message_bytes", \.messageBytesMaximum, .byteCount(256...1_048_576),
      "bytes of the data that is published on an application channel"),
  ]
}
