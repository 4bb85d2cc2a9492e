extension ConfigurationJudge {
  /// What lets pages of others, or whoever reads along, do more than an operator may think.
  mutating func warnOfTheOpenWeb() {
    if let (origins, origin) = value(of: "allowed_origins", in: "server") {
      if OptionType.members(of: origins).contains("*") {
        warn(
          ConfigurationProblem(
            origin, section: "server", option: "allowed_origins",
            reason: """
              * lets every page of the web act with the credentials that its visitor's browser has for this server; name \
              the origins instead
              """))
      }
      for member in OptionType.members(of: origins) where member != "*" && !member.contains("://") && member != "null" {
        warn(
          ConfigurationProblem(
            origin, section: "server", option: "allowed_origins",
            reason: "\(member.quoted) is no origin: browsers write scheme, host and port, as https://shop.example.com"))
      }
    }
    if let (seconds, origin) = value(of: "hsts_seconds", in: "server"), seconds != "0",
      value(of: "tls.certificate", in: "server") == nil
    {
      warn(
        ConfigurationProblem(
          origin, section: "server", option: "hsts_seconds",
          reason: "is not told over plain HTTP: whoever speaks TLS before this server has to"))
    }
  }
}
