import HTTPKit

/// A log's files over HTTP: no redirects, and nothing that is larger or slower than it may be. Spec: C2SP tlog-tiles.
package struct HTTPLogReader: LogReading {
  private let prefix: String
  private let trustRootsFile: String?

  /// - Parameters:
  ///   - prefix: the URL that `/checkpoint` and `/tile/…` stand behind; a slash at its end does not count.
  ///   - trustRootsFile: what the server is known by; nil: by the system's roots.
  /// - Returns: nil unless it is a URL of HTTP with a host. What is signed needs no TLS.
  package init?(prefix: String, trustRootsFile: String? = nil) {
    let bare = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
    let authority = ["https://", "http://"].first { bare.hasPrefix($0) }.map { bare.dropFirst($0.count) }
    guard let authority, let first = authority.utf8.first, first != UInt8(ascii: "/"),
      bare.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !bare.contains("?"), !bare.contains("#")
    else { return nil }
    self.prefix = bare
    self.trustRootsFile = trustRootsFile
  }

  package func file(_ path: String, byteCountMaximum: Int) async -> LogFile {
    let request = BoundedRequest(
      url: "\(prefix)/\(path)", accepts: "*/*", trustRootsFile: trustRootsFile, bytesMaximum: byteCountMaximum,
      timeout: MonitorLimits.fetchTimeout)
    do throws(BoundedRequest.Failure) {
      let answer = try await request.answer()
      switch answer.status {
      case 200: return .content(answer.body)
      case 404, 410: return .absent
      default: return .failed("it answers \(answer.status)")
      }
    } catch {
      return .failed(error.words(bytesMaximum: byteCountMaximum))
    }
  }
}

/// The bounds of a monitor.
package enum MonitorLimits {
  /// From the question for one file to the end of its answer.
  static let fetchTimeout = Duration.seconds(15)
  /// Between two looks at a log, in seconds.
  package static let intervalSeconds: ClosedRange<UInt64> = 1...86_400
  /// After which silence is an alarm, in seconds.
  package static let stallSeconds: ClosedRange<UInt64> = 1...31_536_000
}
