import ArgumentParser
import AsyncHTTPClient
import Engine
import EntityRuntime
import EventSourcing
import Foundation
import JSONEnvelope
import Journal
import JournalFormat
import Logging
import NIOCore
import NIOHTTP1
import SystemPackage

/// `carillon journal redact`: erases everything of one customer.
struct RedactCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redact", abstract: "Erase everything of one customer; cannot be undone.",
    discussion: """
      Chats, Comet sessions and pushes, in segments, archive, snapshots and cut-off files. What is left is that \
      something was there: positions, counts and the hash chain stay, a checkpoint made before still verifies, and one \
      record says who erased how much, when and why. Beside a running server use --server: the server does it. If the \
      process is killed, the next start of the server, or of this command, carries the erasure to its end.
      """)

  @OptionGroup var journal: JournalArguments
  @Option(
    help: """
      Whose: a user key, service id, chat session id, Comet session's id, device id, a value of attached data such as \
      an e-mail address, or of support requests an e-mail address, external id, device identifier, user:5 or request:5.
      """)
  var subject: String
  @Option(help: "Why; stays in the journal.") var reason = ""
  @Option(help: "Who erases; stays in the journal. The user of this process if absent.") var by: String?
  @Option(help: "The running server that is to do it, such as http://127.0.0.1:8080.") var server: String?
  @Option(help: "The file with an access token of the role admin, for --server; CARILLON_TOKEN if absent.")
  var tokenFile: String?
  @Flag(help: "Only say how much would be erased.") var dryRun = false

  func validate() throws {
    if journal.partition != nil {
      throw ValidationError("A customer is erased from all partitions: leave out --partition.")
    }
    if subject.isEmpty { throw ValidationError("--subject is empty.") }
    if server == nil, tokenFile != nil { throw ValidationError("--token-file goes with --server.") }
  }

  func run() async throws {
    do {
      if dryRun { return try count() }
      if let server { return try await ask(server, try CallerToken.read(tokenFile)) }
      try await erase()
    } catch let failure as CommandFailure {
      Console.remark("error: \(failure.text)")
      throw failure.status.exitCode
    } catch JournalError.locked(let directory) {
      throw refusal(
        CommandFailure(
          .dataDirectoryInUse,
          "\(directory) is in use by a running server: let that one do it with --server"))
    } catch let error as JournalError {
      throw refusal(CommandFailure(error))
    } catch let error as SnapshotError {
      throw refusal(CommandFailure(ExitStatus(error), "\(error)"))
    } catch let error as RedactionError {
      throw refusal(CommandFailure(.failure, "\(error)"))
    }
  }

  private func refusal(_ failure: CommandFailure) -> ExitCode {
    Console.remark("error: \(failure.text)")
    return failure.status.exitCode
  }

  private func count() throws {
    var scope = SubjectScope(subject: subject, in: .carillon)
    try forEachRecord { scope.collect($0) }
    scope.close()
    var records = 0
    try forEachRecord { if scope.belongs($0) { records += 1 } }
    Console.print("\(records) records of \(scope.entities.count) entities would be erased")
    for entity in scope.entities.sorted(by: { "\($0)" < "\($1)" }) { Console.print("  \(entity)") }
  }

  /// Of all partitions, one after the other.
  private func forEachRecord(_ body: (borrowing RecordView) throws -> Void) throws {
    for place in try journal.places() { try journal.read(place) { reader, _ in try reader.forEachRecord(body) } }
  }

  /// Where all journals of a data directory lie, none of them missing.
  private func whole() throws -> (data: FilePath, layout: PartitionLayout) {
    let data = try journal.dataDirectory()
    try data.requireWhole()
    let layout = try data.layout()
    if layout.hasSeveral {
      do throws(PartitionError) { try data.partitions.check(layout) } catch { throw CommandFailure(error) }
      return (data.path, layout)
    }
    let path = try journal.path()
    guard path.lastComponent?.string == "journal" else {
      throw CommandFailure(.usage, "\(path) is not the journal of a data directory: name the data directory")
    }
    guard try JournalReader(directory: path).segmentCount() > 0 else {
      throw CommandFailure(.missingInput, "\(path) holds no segment of a journal")
    }
    return (path.removingLastComponent(), layout)
  }

  /// On journals that no server has open.
  private func erase() async throws {
    let (data, layout) = try whole()
    var settings = EngineConfiguration(dataDirectory: data)
    settings.placement = Placement(layout)
    settings.journal.archiveDirectory = journal.archive.map { FilePath($0) }
    let engine = Engine(
      configuration: settings, providers: { _ in nil }, logger: Logger(label: "carillon"),
      onFatal: { reason in
        Console.remark("error: \(reason)")
        Foundation.exit(ExitStatus.journalFailed.rawValue)
      })
    let running = Task { await engine.run() }
    let result: Result<RedactionLog.Redaction, any Error>
    do {
      _ = try await engine.recover(for: .maintenance)
      result = .success(
        try await engine.redactions.redact(subject: subject, by: by ?? NSUserName(), reason: reason))
    } catch {
      result = .failure(error)
    }
    await engine.stop(grace: .seconds(10))
    await running.value
    let redaction = try result.get()
    Console.print("erased     \(redaction.records) records of \(redaction.entities) entities")
    Console.print("rewritten  \(redaction.segments) segments")
    Console.print("up to      position \(redaction.upTo)")
    Console.print("id         \(redaction.id)")
  }

  private func ask(_ server: String, _ token: String) async throws {
    let body = JSONWriter.object(capacity: 256) { body in
      body.member("subject", subject)
      body.member("reason", reason)
    }
    var request = HTTPClientRequest(url: "\(server)/admin/1/redactions")
    request.method = .POST
    request.headers.add(name: "Authorization", value: "Bearer \(token)")
    request.headers.add(name: "Content-Type", value: "application/json")
    request.body = .bytes(ByteBuffer(bytes: body))
    do {
      let response = try await HTTPClient.shared.execute(request, timeout: TimeAmount(Limits.redactionTimeout))
      let answer = try await response.body.collect(upTo: Limits.healthAnswerBytesMaximum)
      Console.print(String(buffer: answer))
      if ![200, 202].contains(response.status.code) { throw ExitStatus.failure.exitCode }
    } catch let code as ExitCode {
      throw code
    } catch {
      throw CommandFailure(.failure, "\(server) does not answer: \(error)")
    }
  }
}
