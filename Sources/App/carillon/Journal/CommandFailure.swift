import ArgumentParser
import Journal

/// Ends a command: one line on standard error, and an exit code.
struct CommandFailure: Error {
  let status: ExitStatus
  let text: String

  init(_ status: ExitStatus, _ text: String) {
    self.status = status
    self.text = text
  }

  init(_ error: JournalError) { self.init(ExitStatus(error), "\(error)") }

  init(_ error: PartitionError) { self.init(ExitStatus(error), "\(error)") }

  init(_ error: SnapshotError) { self.init(ExitStatus(error), "\(error)") }

  init(_ error: TreeError) { self.init(ExitStatus(error), "\(error)") }

  init(_ error: RejoinError) { self.init(ExitStatus(error), "\(error)") }

  /// - Parameter file: the checkpoint's.
  init(_ error: CheckpointError, file: String) { self.init(ExitStatus(error), "\(file) is \(error)") }
}

extension ParsableCommand {
  /// Runs `body`; a `CommandFailure` is printed and becomes the exit code.
  func reporting(_ body: () throws -> Void) throws { try Self.reporting(body) }

  static func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as CommandFailure {
      Console.remark("error: \(failure.text)")
      throw failure.status.exitCode
    }
  }
}

/// `--format`.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
}
