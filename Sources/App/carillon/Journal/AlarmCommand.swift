import NIOPosix
import ProcessControl
import Transparency

/// A command of the operator's that hears of a monitor's alarms, run by the shell: `--on-alarm 'mail -s …'`.
///
/// What there is to say comes in its environment, so that nothing that a log writes can become a part of the command.
struct AlarmCommand {
  let command: String
  let origin: KeyName
  let url: String

  private static let shell = "/bin/sh"

  /// - Parameter environment: of this process, which the command gets as well.
  /// - Returns: what went wrong with it; nil if nothing did.
  func run(_ news: AlarmBoard.News, environment: [String: String]) async -> String? {
    var environment = environment
    environment["CARILLON_LOG"] = "\(origin)"
    environment["CARILLON_LOG_URL"] = url
    switch news {
    case .raised(let finding):
      environment["CARILLON_ALARM"] = finding.kind.rawValue
      environment["CARILLON_ALARM_STATE"] = "raised"
      environment["CARILLON_ALARM_TEXT"] = "\(finding)"
    case .over(let kind):
      environment["CARILLON_ALARM"] = kind.rawValue
      environment["CARILLON_ALARM_STATE"] = "over"
      environment["CARILLON_ALARM_TEXT"] = "over: \(kind.rawValue)"
    }
    return await run(environment)
  }

  private func run(_ environment: [String: String]) async -> String? {
    do {
      let child = try await NIOThreadPool.singleton.runIfActive { [command] in
        try ChildProcess(Self.shell, ["-c", command], environment: environment, leadsGroup: true)
      }
      guard let status = try await child.wait(atMost: Limits.alarmCommandTimeout) else {
        return "the alarm's command did not end in \(Limits.alarmCommandTimeout) and was killed"
      }
      return status == 0 ? nil : "the alarm's command ended with \(status)"
    } catch {
      return "the alarm's command cannot be run: \(error)"
    }
  }
}
