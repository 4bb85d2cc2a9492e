import ArgumentParser
import EntityRuntime
import EventSourcing
import Foundation
import Journal
import JournalFormat
import StandbyFollower
import SystemPackage

/// `carillon journal rejoin`: makes a former primary's directory a standby's of the one that has taken over.
struct RejoinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rejoin",
    abstract: "Make a former primary's directory a copy of the journal that took over; set aside what only it has.",
    discussion: """
      Finds the last record that both have, puts what stands behind it into a directory of its own, where the journal's \
      tools read it, and makes the directory a standby's. What is set aside was acknowledged, and the other journal has \
      nothing of it: look at it with `carillon journal timeline`. No server may run on the directory.
      """)

  @OptionGroup var journal: JournalArguments
  @Option(
    help: "Who took over: its server, such as https://b.example.com:8080, or its data directory or a copy of that.")
  var from: String
  @Option(help: "With a server: file with a token of the role standby; CARILLON_TOKEN if absent.")
  var tokenFile: String?
  @Option(help: "With a server: the PEM file of certificates that it is known by, in place of the system's.")
  var ca: String?
  @Flag(help: "With a server: send the token over http to another machine, where all on the way can read it.")
  var insecure = false
  @Flag(help: "Only say what would be set aside.") var dryRun = false

  func run() async throws {
    try await Self.reporting {
      do {
        let rejoin = try JournalRejoin(directory: try journal.existingPath(), archive: journal.archivePath)
        defer { rejoin.release() }
        try carryOut(rejoin, isServer ? try await ask(rejoin) : try examine(rejoin))
      } catch let error as JournalError {
        throw CommandFailure(error)
      } catch let error as RejoinError {
        throw CommandFailure(error)
      }
    }
  }

  private var isServer: Bool { from.contains("://") }

  func validate() throws {
    guard isServer || (tokenFile == nil && ca == nil && !insecure) else {
      throw ValidationError("--token-file, --ca and --insecure go with the URL of a server.")
    }
  }

  private func ask(_ rejoin: JournalRejoin) async throws -> JournalRejoin.Finding {
    let token = try CallerToken.read(tokenFile)
    let primary = try HTTPPrimary.open(from, trustRoots: ca, isInsecure: insecure) { token }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-rejoin-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // What cannot be removed is in the way of nobody.
    defer { try? FileManager.default.removeItem(at: folder) }
    let found: Result<JournalRejoin.Finding, any Error>
    do {
      let path = FilePath(folder.path)
      let served = try await ServedJournal(primary, epoch: rejoin.known.told)
      let segment = try rejoin.lastCommonSegment(with: served.journal)
      try await served.fetch(segment, into: path)
      found = .success(try rejoin.examine(segment, of: served.journal, in: path))
    } catch let failure as PrimaryFailure {
      found = .failure(CommandFailure(failure, of: from))
    } catch {
      found = .failure(error)
    }
    await primary.shutDown()
    return try found.get()
  }

  private func examine(_ rejoin: JournalRejoin) throws -> JournalRejoin.Finding {
    let path = try JournalArguments.journal(in: from)
    let other = try OtherJournal(directory: path)
    return try rejoin.examine(try rejoin.lastCommonSegment(with: other), of: other, in: path)
  }

  private func carryOut(_ rejoin: JournalRejoin, _ finding: JournalRejoin.Finding) throws {
    Console.print("in common   up to position \(finding.lastPosition), in segment \(finding.segment)")
    if let last = finding.lastAside {
      Console.print("only here   positions \(finding.lastPosition + 1) to \(last)")
    } else {
      Console.print("only here   no record")
    }
    if dryRun { return Console.print("changed     nothing") }
    let kept = try rejoin.carryOut(finding, label: Self.label(of: SystemTime().now))
    for path in kept { Console.print("set aside   \(path)") }
    Console.print("now         a standby's, of epoch \(finding.epoch): let it follow with `carillon standby`")
  }

  /// As a name: `20261127T203015Z`.
  private static func label(of time: Timestamp) -> String {
    time.iso8601.filter { $0 != "-" && $0 != ":" }
  }
}
