import Engine
import HTTPEdge
import OptionKit

extension ConfigurationJudge {
  /// What lets pages of others, or whoever reads along, do more than an operator may think.
  mutating func warnOfTheOpenWeb() {
    let keys = AccessOptions.keys
    warn(
      ofOrigins: keys.allowedOrigins,
      """
      * lets every page of the web act with the credentials that its visitor's browser has for this server; name \
      the origins instead
      """)
    warn(
      ofOrigins: ConsoleOptions.keys.allowedOrigins,
      """
      * lets every page of the web use what agents and operators use, with any token that it gets hold of; name the \
      origins instead
      """)
    if let (seconds, origin) = value(of: keys.strictTransportSeconds, in: .server), seconds != "0",
      value(of: ServerOptions.keys.certificate, in: .server) == nil
    {
      warn(
        keys.strictTransportSeconds, in: .server, origin,
        "is not told over plain HTTP: whoever speaks TLS before this server has to")
    }
  }

  private mutating func warn(ofOrigins key: OptionKey<[String]>, _ reasonOfAll: String) {
    guard let (origins, origin) = value(of: key, in: .server) else { return }
    let members = OptionType.members(of: origins)
    if members.contains("*") { warn(key, in: .server, origin, reasonOfAll) }
    for member in members where member != "*" && !member.contains("://") && member != "null" {
      warn(
        key, in: .server, origin,
        "\(member.quoted) is no origin: browsers write scheme, host and port, as https://shop.example.com")
    }
  }

  /// The pages of the console lie where nothing else does.
  mutating func judgeConsole() {
    let key = ConsoleOptions.keys.path
    guard let (path, _) = value(of: key, in: .server), let flaw = ConsolePath.flaw(path) else { return }
    refuse(key, in: .server, flaw)
  }

  /// No shell looks for the program that scans files.
  mutating func judgeFiles() {
    let key = FileOptions.keys.scanCommand
    guard let (command, _) = value(of: key, in: .server), let program = OptionType.members(of: command).first else {
      return
    }
    if !program.hasPrefix("/") { refuse(key, in: .server, "does not begin with the whole path of a program") }
  }
}
