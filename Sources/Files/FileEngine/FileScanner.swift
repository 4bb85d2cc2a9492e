/// Runs the command by which an operator has files looked at.
package protocol FileScanner: Sendable {
  /// - Parameters:
  ///   - command: the path of a program, and its arguments. It gets the path of a file with these bytes as one more, and the
  ///     bytes on its standard input.
  ///   - limit: whatever has not ended by then is killed.
  func verdict(on bytes: [UInt8], by command: [String], within limit: Duration) async -> ScanVerdict
}

/// What a scan comes to.
package enum ScanVerdict: Sendable, Equatable {
  /// Exit status 0.
  case clean
  /// Exit status 1.
  case refused
  /// Anything else, for the log.
  case undecided(String)
}
