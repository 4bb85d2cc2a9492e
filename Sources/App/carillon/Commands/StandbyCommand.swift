import ArgumentParser
import CarillonConfiguration
import EventSourcing
import Journal
import StandbyFollower
import StandbyWire
import Synchronization
import SystemPackage
import UnixSignals

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// `carillon standby`: keeps a data directory the same as a running server's, on another machine.
struct StandbyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "standby", abstract: "Follow a running server, so that its place can be taken if it is lost.",
    discussion: """
      Copies all that the server has in its data directory, then writes what the server writes, as it writes it: the \
      same bytes in the same places, each checked before. Goes on by itself after the server, the network or itself was \
      away; SIGTERM and SIGINT stop it. `carillon promote` takes over with the directory. With --status it only says how \
      far the standby of a directory is, and ends with 0 if that follows, with 1 if it does not.

      \(ExitStatus.standbyHelp)
      """)

  @Option(help: "The server that is followed, such as https://a.example.com:8080.") var from: String?
  @Option(help: "File with a token of the role standby; CARILLON_TOKEN if absent.") var tokenFile: String?
  @Option(help: "The PEM file of certificates that the server is known by, in place of the system's.") var ca: String?
  @Option(help: "Under which name the server knows this standby; one is drawn for a new directory if absent.")
  var name: String?
  @Flag(help: "Send the token over http to another machine, where all on the way can read it and what it opens.")
  var insecure = false
  @Flag(
    help: """
      Make a new copy, and set the old one aside, also where the server keeps no segment that the directory has: nothing \
      shows then that it is the same journal's.
      """)
  var newCopy = false
  @Option(help: "Say how far the standby of this data directory is.") var status: String?
  @Flag(help: "A line each second, not only when something changes.") var verbose = false
  @OptionGroup var arguments: ConfigurationArguments

  func validate() throws {
    guard (from == nil) != (status == nil) else {
      throw ValidationError("Give --from URL to follow a server, or --status DIRECTORY to ask how far a standby is.")
    }
    if let name, StandbyName(name) == nil {
      throw ValidationError("--name has 1 to \(StandbyLimits.nameByteCountMaximum) letters, digits, '.', '_' and '-'.")
    }
  }

  func run() async throws {
    try await Self.reporting {
      if let status {
        try tell(of: DataDirectory(path: FilePath(status)))
      } else if let from {
        let directory = DataDirectory(path: FilePath(ServerSettings(try arguments.loadOrExit()).dataDirectory))
        try await follow(from, with: directory)
      }
    }
  }

  // MARK: Following

  private func follow(_ url: String, with directory: DataDirectory) async throws {
    try directory.requireWhole()
    _ = try directory.onlyJournal()
    // A token or a certificate that is not there is told now; those that come later are read when they are used.
    let file = tokenFile
    _ = try CallerToken.read(file)
    let primary = try HTTPPrimary.open(url, trustRoots: ca, isInsecure: insecure) { try CallerToken.read(file) }
    // A reader of the lines that goes away must not end the standby.
    signal(SIGPIPE, SIG_IGN)
    let lines = StandbyLines(isVerbose: verbose)
    let follower = Follower(
      data: directory.path, primary: primary, url: url, name: try standbyName(), allowsNewCopy: newCopy,
      tell: { lines.tell($0) })
    Console.print("standby of \(url), data in \(directory.path)")
    // From here on a signal ends the task, not the process: what is being written is written to its end.
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    let end = await withTaskGroup(of: FollowerEnd?.self) { group in
      group.addTask { await follower.run() }
      group.addTask {
        for await _ in signals { break }
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      await group.waitForAll()
      return first
    }
    await primary.shutDown()
    if let end { throw CommandFailure(ExitStatus(end), "\(end)") }
  }

  private func standbyName() throws -> StandbyName {
    let drawn = String(UInt32.random(in: .min ... .max), radix: 16)
    guard let name = StandbyName(name ?? "standby-\(drawn)") else {
      throw CommandFailure(.usage, "\(name ?? "") is not the name of a standby")
    }
    return name
  }

  // MARK: The status

  private func tell(of directory: DataDirectory) throws {
    guard let status = try FollowerStatus.read(in: directory.onlyJournal()) else {
      throw CommandFailure(.missingInput, "\(directory.path) is not a standby's, or none has begun there")
    }
    let age = Duration.milliseconds(max(0, JournalConfiguration.systemClock() - status.atMilliseconds))
    // Killed, a standby says nothing more.
    let isAlive = age <= FollowerLimits.statusAgeMaximum
    Console.print("state     \(isAlive || status.state == .ended ? status.state.rawValue : "not running")")
    Console.print("primary   \(status.primary), epoch \(status.epoch)")
    Console.print("position  \(status.position) of \(status.primaryPosition), \(status.lagRecords) records behind")
    if let lag = status.lagMilliseconds { Console.print("behind    \(lag) ms when it was last synced") }
    Console.print("at        \(Timestamp(milliseconds: status.atMilliseconds).iso8601)")
    if let problem = status.problem { Console.print("problem   \(problem)") }
    guard isAlive, status.state == .following else { throw ExitStatus.failure.exitCode }
  }
}

/// The lines of a standby, on standard output.
private final class StandbyLines: Sendable {
  private let isVerbose: Bool
  private let last = Mutex<(state: FollowerStatus.State, problem: String?)?>(nil)

  init(isVerbose: Bool) { self.isVerbose = isVerbose }

  func tell(_ status: FollowerStatus) {
    let isNews = last.withLock { last in
      defer { last = (status.state, status.problem) }
      return last.map { $0.state != status.state || $0.problem != status.problem } ?? true
    }
    guard isNews || isVerbose else { return }
    Console.print("\(Timestamp(milliseconds: status.atMilliseconds).iso8601)  \(status)")
  }
}
