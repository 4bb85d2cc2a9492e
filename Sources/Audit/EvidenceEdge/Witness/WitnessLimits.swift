/// The bounds of a witness's server, beside those of every HTTP edge.
enum WitnessLimits {
  /// Requests that wait for the disk; beyond it 503.
  static let waitingMaximum = 64
  /// A request for a cosignature begins with its old size: bodies of other targets are not read.
  static let otherBodyByteCountMaximum = 1_024
}
