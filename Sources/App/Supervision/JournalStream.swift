#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Whether what a process writes goes to systemd's journal, which takes a line's severity from a prefix such as `<3>`.
/// Spec: `systemd.exec(5)`, `JOURNAL_STREAM`; `sd-daemon(3)`.
package enum JournalStream {
  /// Of the environment: device and inode of the stream that the service manager has connected.
  package static let variable = "JOURNAL_STREAM"

  /// False for a descriptor that was put elsewhere since: the variable is handed down to whatever a service starts.
  package static func isConnected(to descriptor: Int32, environment: [String: String]) -> Bool {
    guard let stream = environment[variable] else { return false }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}
