import EventSourcing
import JSONEnvelope
import Logging
import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes each record as one line of JSON with one `write(2)`, so that lines of different threads never mix.
///
/// `{"time":"2026-02-11T08:30:05.123Z","level":"info","label":"carillon","message":"…","port":"8080"}`
struct JSONLogHandler: LogHandler {
  let label: String
  let output: FileDescriptor
  private let threshold: LogLevelSwitch
  private let tellsPriority: Bool
  private var ownLevel: Logger.Level?

  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  /// - Parameter tellsPriority: each line begins with its severity as the system's journal understands it: `<3>{"time":…`.
  init(
    label: String, threshold: LogLevelSwitch, tellsPriority: Bool = false, output: FileDescriptor = .standardError
  ) {
    self.label = label
    self.threshold = threshold
    self.tellsPriority = tellsPriority
    self.output = output
  }

  /// Makes all loggers of this process write JSON lines to standard error. Once a process.
  static func bootstrap(_ threshold: LogLevelSwitch, tellsPriority: Bool = false) {
    LoggingSystem.bootstrap { JSONLogHandler(label: $0, threshold: threshold, tellsPriority: tellsPriority) }
  }

  var logLevel: Logger.Level {
    get { ownLevel ?? threshold.level }
    set { ownLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    var all = metadata
    if let provided = metadataProvider?.get() { all.merge(provided) { _, new in new } }
    if let own = event.metadata { all.merge(own) { _, new in new } }
    let line = JSONWriter.object(capacity: 512) { line in
      line.member("time", now.iso8601Milliseconds)
      line.member("level", event.level.rawValue)
      line.member("label", label)
      line.member("message", Self.cut(event.message.description))
      line.member("error", ifPresent: event.error.map { Self.cut(String(describing: $0)) })
      Self.write(all.filter { !Self.ownKeys.contains($0.key) }, into: &line)
    }
    let prefix = tellsPriority ? Array("<\(event.level.syslogPriority)>".utf8) : []
    emit(prefix + line + [UInt8(ascii: "\n")])
  }

  private static let ownKeys: Set<String> = ["time", "level", "label", "message"]
  private static let secretWords = ["token", "password", "secret", "authorization", "credential", "apikey"]

  /// Nobody should hand a secret to a logger; a metadata key of such a name is a mistake that must not be printed.
  private static func isSecret(_ key: String) -> Bool {
    let lower = key.lowercased()
    return secretWords.contains { lower.hasSuffix($0) }
  }

  private static func write(_ metadata: Logger.Metadata, into object: inout JSONObjectWriter) {
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      object.member(named: key) { write(isSecret(key) ? "redacted" : value, into: &$0) }
    }
  }

  private static func write(_ value: Logger.MetadataValue, into writer: inout JSONWriter) {
    switch value {
    case .string(let text): writer.value(cut(text))
    case .stringConvertible(let value): writer.value(cut(value.description))
    case .array(let values): writer.array(values) { write($0, into: &$1) }
    case .dictionary(let values): writer.object { write(values, into: &$0) }
    }
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count <= Limits.logTextCharactersMaximum
      ? text : String(text.prefix(Limits.logTextCharactersMaximum)) + "…"
  }

  private func emit(_ line: [UInt8]) {
    line.withUnsafeBytes { bytes in
      var rest = bytes[...]
      // One call in the ordinary case; a pipe that is nearly full may take a long line in pieces. A log that cannot be
      // written is no reason to stop serving.
      while !rest.isEmpty, let count = try? output.write(UnsafeRawBufferPointer(rebasing: rest)), count > 0 {
        rest = rest.dropFirst(count)
      }
    }
  }
}

extension Logger.Level {
  /// Spec: `syslog(3)`, `sd-daemon(3)`.
  var syslogPriority: Int {
    switch self {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}
