/// How a log's files are read: over HTTP, or in tests from memory.
package protocol LogReading: Sendable {
  /// - Parameters:
  ///   - path: below the log's prefix, such as `checkpoint`.
  ///   - byteCountMaximum: of what is read at all.
  func file(_ path: String, byteCountMaximum: Int) async -> LogFile
}

/// What came of asking for one.
package enum LogFile: Sendable, Equatable {
  case content([UInt8])
  /// 404 or 410.
  case absent
  /// Why, in a few words, without the URL.
  case failed(String)
}
