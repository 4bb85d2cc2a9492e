import Glibc
import PeerFormats

/// PostgreSQL with a database of its own, as its packages set it up: every commit is synced before it is answered.
final class PostgresServer: Sendable {
  private static let user = "postgres"

  private let port: Int
  private let programs: String
  let process: PeerProcess
  private let directory: WorkDirectory

  /// Makes the database, starts the server, and waits until it takes statements.
  static func start(in directory: WorkDirectory) async throws -> PostgresServer {
    let programs = try Programs.newest(in: "/usr/lib/postgresql", holding: "bin/initdb", package: "postgresql") + "/bin"
    let data = directory.path + "/postgres"
    try makeFolder(data, in: directory)
    let (initializer, arguments) = try demoted(
      programs + "/initdb", ["-D", data, "--auth=trust", "--username=\(user)", "--encoding=UTF8", "--locale=C"])
    _ = try await LoadTool.run(initializer, arguments, in: directory, atMost: Limits.setUpTimeout)
    let server = try PostgresServer(directory, programs: programs, data: data)
    do { try await server.makeTable() } catch {
      await server.process.stop()
      throw error
    }
    return server
  }

  private init(_ directory: WorkDirectory, programs: String, data: String) throws {
    port = try BenchServer.freePort()
    (self.programs, self.directory) = (programs, directory)
    let (server, arguments) = try Self.demoted(
      programs + "/postgres",
      [
        "-D", data, "-p", "\(port)", "-k", data, "-c", "listen_addresses=127.0.0.1", "-c", "shared_buffers=512MB", "-c",
        "max_wal_size=4GB",
      ])
    // SIGINT: connections are cut, and it ends in good order.
    process = try PeerProcess(server, arguments, name: "postgres", in: directory, endedBy: SIGINT)
  }

  /// Events a second that so many connections insert, each committed by itself.
  func eventsPerSecond(connections: Int, for seconds: Int) async throws -> Double {
    let script = directory.path + "/insert.sql"
    try Files.write("INSERT INTO event (chat, payload) VALUES (:client_id, '\(JournalPayload.text)');\n", to: script)
    let output = try await LoadTool.run(
      programs + "/pgbench",
      [
        "-n", "-h", "127.0.0.1", "-p", "\(port)", "-U", Self.user, "-M", "prepared", "-f", script, "-c",
        // Its seconds begin before its connections are there.
        "\(connections)", "-j", "1", "-T", "\(max(3, seconds))", "postgres",
      ], in: directory, atMost: Limits.setUpTimeout)
    guard let rate = ToolOutput.pgbench(output) else {
      throw BenchError("pgbench is not understood:\n\(output.suffix(Limits.logTailBytes))")
    }
    return rate
  }

  private func makeTable() async throws {
    try await process.waitUntilListening(port)
    let statement = "CREATE TABLE event (id bigserial PRIMARY KEY, chat integer NOT NULL, payload text NOT NULL)"
    let deadline = ContinuousClock.now + Limits.readyTimeout
    while true {
      do {
        _ = try await LoadTool.run(
          programs + "/psql",
          ["-X", "-h", "127.0.0.1", "-p", "\(port)", "-U", Self.user, "-c", statement, "postgres"], in: directory,
          atMost: Limits.requestTimeout)
        return
      } catch {
        // It listens a little before it is ready.
        guard ContinuousClock.now < deadline else { throw error }
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  // MARK: Not as root

  /// PostgreSQL refuses to run as root: then it is the user whom its package has made.
  private static func demoted(_ program: String, _ arguments: [String]) throws -> (String, [String]) {
    guard geteuid() == 0 else { return (program, arguments) }
    let demotion = ["--reuid=\(user)", "--regid=\(user)", "--init-groups", program]
    return (try Programs.require("setpriv", package: "util-linux"), demotion + arguments)
  }

  private static func makeFolder(_ path: String, in directory: WorkDirectory) throws {
    guard mkdir(path, 0o700) == 0 else { throw BenchError("cannot make \(path)") }
    guard geteuid() == 0 else { return }
    guard let entry = getpwnam(user), chown(path, entry.pointee.pw_uid, entry.pointee.pw_gid) == 0,
      // Others may pass through, no more.
      chmod(directory.path, 0o711) == 0
    else { throw BenchError("no user \(user) for a database: install the package postgresql") }
  }
}
