public import Logging
import Synchronization

/// A log that a test can read: each line as its message and the metadata that was given with it.
public final class HeardLog: Sendable {
  public struct Line: Sendable, Equatable {
    public let level: Logger.Level
    public let message: String
    public let metadata: [String: String]

    public init(_ level: Logger.Level, _ message: String, _ metadata: [String: String] = [:]) {
      self.level = level
      self.message = message
      self.metadata = metadata
    }
  }

  private let heard = Mutex<[Line]>([])

  public init() {}

  public var lines: [Line] { heard.withLock { $0 } }
  public var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

  private struct Handler: LogHandler {
    let log: HeardLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let line = Line(
        event.level, event.message.description, (event.metadata ?? [:]).mapValues { $0.description })
      log.heard.withLock { $0.append(line) }
    }
  }
}
