import HTTPEdge
import OptionKit

extension ConfigurationJudge {
  /// What lets pages of others, or whoever reads along, do more than an operator may think.
  mutating func warnOfTheOpenWeb() {
    let keys = AccessOptions.keys
    if let (origins, origin) = value(of: keys.allowedOrigins, in: .server) {
      if OptionType.members(of: origins).contains("*") {
        warn(
          keys.allowedOrigins, in: .server, origin,
          """
          * lets every page of the web act with the credentials that its visitor's browser has for this server; name \
          the origins instead
          """)
      }
      for member in OptionType.members(of: origins) where member != "*" && !member.contains("://") && member != "null" {
        warn(
          keys.allowedOrigins, in: .server, origin,
          "\(member.quoted) is no origin: browsers write scheme, host and port, as https://shop.example.com")
      }
    }
    if let (seconds, origin) = value(of: keys.strictTransportSeconds, in: .server), seconds != "0",
      value(of: ServerOptions.keys.certificate, in: .server) == nil
    {
      warn(
        keys.strictTransportSeconds, in: .server, origin,
        "is not told over plain HTTP: whoever speaks TLS before this server has to")
    }
  }
}
