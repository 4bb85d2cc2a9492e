/// Where a subscriber of nchan stands: what its last answer said of the message, to be said again with the next poll.
///
/// Messages of one second share their time; the tag tells them apart.
package struct NchanCursor: Sendable, Equatable {
  private let modified: String
  private let tag: String

  /// - Parameters:
  ///   - modified: the field `Last-Modified` of the last answer.
  ///   - tag: its field `Etag`.
  /// - Returns: nil if one of them is missing: nobody could go on from there.
  package init?(modified: String?, tag: String?) {
    guard let modified, let tag, !modified.isEmpty, !tag.isEmpty else { return nil }
    (self.modified, self.tag) = (modified, tag)
  }

  /// The header fields of the next poll, each with its line end.
  package var fields: String { "If-Modified-Since: \(modified)\r\nIf-None-Match: \(tag)\r\n" }
}
