import CarillonConfiguration
import Dispatch
import EntityRuntime
import HTTPKit
import Synchronization
import SystemPackage

/// Where the access log is written: opened when the server starts, and again when its configuration is read again.
///
/// Files are written on a thread of their own: no request waits for them.
final class AccessLogFile: Sendable {
  let log = AccessLog(now: { SystemTime().now })
  private let queue = DispatchQueue(label: "carillon.access-log")
  private let current = Mutex<FileDescriptor?>(nil)

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
    let spool = file.map { file in
      LineSpool(
        bytesMaximum: Limits.accessLogBytesMaximum, schedule: { [queue] work in queue.async(execute: work) },
        output: { bytes in (try? file.writeAll(bytes)) == bytes.count }, onLost: { [log] in log.lost($0) })
    }
    log.write(to: spool, oneOf: one)
    let former = current.withLock { current in
      defer { current = file }
      return current
    }
    // Behind what has been scheduled for it.
    if let former { queue.async { try? former.close() } }
  }
}

/// The access log cannot be written.
struct AccessLogFailure: Error, CustomStringConvertible {
  let path: String
  let reason: String

  var description: String { "the access log \(path) cannot be opened: \(reason)" }
}
