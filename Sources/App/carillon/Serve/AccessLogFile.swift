import CarillonConfiguration
import Dispatch
import EntityRuntime
import HTTPKit
import SystemPackage

/// Where the access log is written: opened when the server starts, and again when its configuration is read again.
///
/// Files are written on a thread of their own: no request waits for them.
final class AccessLogFile: Sendable {
  let log = AccessLog(now: { SystemTime().now })
  private let queue = DispatchQueue(label: "access-log")

  /// - Throws: if the log cannot be opened.
  init(_ settings: ServerSettings) throws(AccessLogFailure) { try open(settings) }

  /// Begins to write where the settings say, and lets go of what was written to before: of a file that was renamed,
  /// too.
  /// - Throws: if it cannot be opened; then nothing has changed.
  func open(_ settings: ServerSettings) throws(AccessLogFailure) {
    guard let path = settings.accessLogFile else { return replace(nil) }
    do {
      let file =
        path == Self.standardOutput
        ? try FileDescriptor.standardOutput.duplicate()
        : try FileDescriptor.open(
          FilePath(path), .writeOnly, options: [.append, .create, .closeOnExec],
          permissions: [.ownerReadWrite, .groupRead])
      replace(file, oneOf: settings.accessLogSample)
    } catch {
      throw AccessLogFailure(path: path, reason: "\(error)")
    }
  }

  /// Writes what waits, unless that takes too long, and nothing more.
  func finish() {
    replace(nil)
    let written = DispatchGroup()
    queue.async(group: written) {}
    _ = written.wait(timeout: .now() + Self.finishSeconds)
  }

  private static let standardOutput = "-"
  private static let finishSeconds = 1.0

  private func replace(_ file: FileDescriptor?, oneOf one: Int = 1) {
    let spool = file.map { descriptor in
      let file = OpenFile(descriptor: descriptor)
      return LineSpool(
        bytesMaximum: Limits.accessLogBytesMaximum, schedule: { [queue] work in queue.async(execute: work) },
        output: { file.write($0) }, onLost: { [log] in log.lost($0) })
    }
    log.write(to: spool, oneOf: one)
  }

  /// Closed when nobody can write to it any more: a request may still have it while it is replaced.
  private final class OpenFile: Sendable {
    private let descriptor: FileDescriptor

    init(descriptor: FileDescriptor) { self.descriptor = descriptor }

    deinit { try? descriptor.close() }

    /// Whether all was written.
    func write(_ bytes: [UInt8]) -> Bool { (try? descriptor.writeAll(bytes)) == bytes.count }
  }
}

/// The access log cannot be written.
struct AccessLogFailure: Error, CustomStringConvertible {
  let path: String
  let reason: String

  var description: String { "the access log \(path) cannot be opened: \(reason)" }
}
