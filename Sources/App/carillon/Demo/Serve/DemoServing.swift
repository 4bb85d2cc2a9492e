import ArgumentParser
import UnixSignals

/// `carillon demo --serve`.
struct DemoServing: ParsableArguments {
  @Flag(
    name: .customLong("serve"),
    help: "Play nothing: serve with sample customers until Ctrl-C, and print one-time links to the console.")
  var isWanted = false
  @Option(name: .shortAndLong, help: "With --serve: TCP port to listen on, on this machine; 0 takes a free one.")
  var port: Int?
  @Option(name: .shortAndLong, help: "With --serve: keep journal and tokens there; a temporary directory if absent.")
  var dataDirectory: String?

  private static let defaultPort = 8_080

  func validate() throws {
    guard isWanted || (port == nil && dataDirectory == nil) else {
      throw ValidationError("--port and --data-directory go with --serve.")
    }
    guard (0...65_535).contains(port ?? 0) else { throw ValidationError("--port is a number up to 65535.") }
  }

  /// Serves until a signal asks for the end.
  /// - Throws: the exit code, after it was said why.
  func run(isKept: Bool) async throws {
    let screen = DemoScreen()
    let port = port ?? Self.defaultPort
    do {
      try ListenAddress(host: "127.0.0.1", port: port).probe()
    } catch {
      Console.remark("error: \(error); choose another with --port")
      throw error.status.exitCode
    }
    // Before anything is there that has to be cleared away.
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
    do {
      let house = try await DemoHouse(
        screen, port: port == 0 ? nil : port, data: dataDirectory, isKept: isKept)
      let outcome = await Self.outcome(of: house, until: signals)
      try await house.close(afterAll: outcome)
    } catch {
      screen.failed("\(error)")
      throw ExitStatus.failure.exitCode
    }
  }

  /// Nothing if it was asked to end, else why it did by itself.
  private static func outcome(of house: DemoHouse, until signals: UnixSignalsSequence) async -> (any Error)? {
    await withTaskGroup(of: (any Error)?.self) { group in
      group.addTask {
        for await _ in signals { break }
        return nil
      }
      group.addTask {
        do {
          try await house.live()
          return nil
        } catch {
          return error
        }
      }
      // What ends second was ended by the first.
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }
}
