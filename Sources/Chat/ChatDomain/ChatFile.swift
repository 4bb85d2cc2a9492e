public import EventSourcing

/// A file that a party of a chat has sent, as the journal has it. What is in it lies elsewhere, under `id`.
public struct ChatFile: Sendable, Equatable, Codable {
  public let id: String
  /// Fit to be shown, and to be a name in a file system.
  public let name: String
  /// `type/subtype`, without parameters.
  public let contentType: String
  public let byteCount: Int
  /// Where the customer gets it.
  public let url: String

  public init(id: String, name: String, contentType: String, byteCount: Int, url: String) {
    self.id = id
    self.name = name
    self.contentType = contentType
    self.byteCount = byteCount
    self.url = url
  }
}

/// As part of an event and of a chat's state; frozen like those.
extension ChatFile: PayloadPart {
  private enum Field {
    static let id = PayloadField<String>(1)
    static let name = PayloadField<String>(2)
    static let contentType = PayloadField<String>(3)
    static let byteCount = PayloadField<Ordinal>(4)
    static let url = PayloadField<String>(5)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.id, id)
    writer.put(Field.name, name)
    writer.put(Field.contentType, contentType)
    writer.put(Field.byteCount, byteCount)
    writer.put(Field.url, url)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      id: try read.required(Field.id), name: try read.required(Field.name),
      contentType: try read.required(Field.contentType), byteCount: try read.required(Field.byteCount),
      url: try read.required(Field.url))
  }
}
