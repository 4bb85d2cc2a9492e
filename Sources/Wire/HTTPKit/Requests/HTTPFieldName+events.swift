package import HTTPTypes

// Of server-sent events.
extension HTTPField.Name {
  /// The number of the last event that a client has seen.
  package static let lastEventID = HTTPField.Name("Last-Event-ID")!
  /// Keeps a proxy from collecting what is to be seen at once.
  package static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering")!
}
