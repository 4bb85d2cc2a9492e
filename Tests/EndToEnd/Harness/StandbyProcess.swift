import Foundation
import Journal
import ProcessControl
import SystemPackage

/// `carillon standby` of a server: a process of its own, with a directory beside the server's.
final class StandbyProcess {
  let server: ServerProcess
  let dataDirectory: String
  private let tokenFile: String
  private let log: String
  private var process: ChildProcess?

  /// - Parameter name: of its directory.
  init(of server: ServerProcess, _ name: String = "copy") async throws {
    self.server = server
    dataDirectory = server.directory + "/" + name
    tokenFile = server.directory + "/\(name).token"
    log = server.directory + "/\(name).log"
    try await server.makeToken(name, ["--role", "standby"])
    try server.token(name).write(toFile: tokenFile, atomically: true, encoding: .utf8)
  }

  /// As an operator types it.
  var arguments: [String] {
    [
      "standby", "--from", "http://127.0.0.1:\(server.port)", "--data-directory", dataDirectory, "--token-file",
      tokenFile,
    ]
  }

  var output: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

  func start() throws { process = try ChildProcess.start(ServerProcess.executable, arguments, log: log) }

  /// SIGTERM; the exit code.
  func stop() async throws -> Int32 {
    guard let process else { throw EndToEndFailure("the standby does not run") }
    process.send(signal: SIGTERM)
    return try await process.status()
  }

  func killNow() async throws {
    process?.send(signal: SIGKILL)
    _ = try await process?.status()
  }

  /// Whatever state it is in.
  func end() async { await process?.end() }

  /// Waits until all that the server has on its disk is here too.
  func catchUp() async throws {
    try await eventually("the standby has all\n\(output.suffix(2_000))") {
      // The server's first: what comes meanwhile is not waited for. Of a journal without a record the segment is all
      // there is.
      guard let wanted = try? Self.position(server.dataDirectory), let found = try? Self.position(dataDirectory),
        found >= wanted, try Self.hasHeader(dataDirectory)
      else { return nil as Bool? }
      return true
    }
  }

  private static func hasHeader(_ dataDirectory: String) throws -> Bool {
    let file = FileHandle(forReadingAtPath: dataDirectory + "/journal/000000000001.segment")
    defer { try? file?.close() }
    return try file?.read(upToCount: 64)?.contains { $0 != 0 } ?? false
  }

  /// Of the last record in a directory's journal.
  static func position(_ dataDirectory: String) throws -> UInt64 {
    try JournalReader(directory: FilePath(dataDirectory).appending("journal")).verify().lastPosition
  }
}
