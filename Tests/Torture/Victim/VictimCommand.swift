import ArgumentParser
import SimulatedDisk
import SystemPackage

/// The child process of the tests that kill.
struct VictimCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "victim", abstract: "An engine to be killed; started by the tests.", shouldDisplay: false)

  @Option(help: "Its data.")
  var directory: String

  @Option(
    help: "Where it kills itself: name, moment and occurrence, as in segment.write:middle:3.",
    transform: { text in
      guard let point = CrashPoint(argument: text) else { throw ValidationError("\(text) is no crash point") }
      return point
    })
  var crashPoint: CrashPoint?

  func run() async throws { await Victim(directory: FilePath(directory), crashPoint: crashPoint).run() }
}

extension CrashPoint {
  init?(argument: String) {
    let parts = argument.split(separator: ":").map(String.init)
    guard parts.count == 3, let moment = Moment(rawValue: parts[1]), let occurrence = Int(parts[2]) else { return nil }
    self.init(parts[0], moment, occurrence: occurrence)
  }

  var argument: String { "\(name):\(moment.rawValue):\(occurrence)" }
}
