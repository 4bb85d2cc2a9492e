package import NIOCore

/// Takes events out of a `text/event-stream`. Spec: HTML, server-sent events.
package struct EventStreamParser {
  package struct Event: Sendable, Equatable {
    package var id: String?
    /// `message` if the server names none.
    package var name = "message"
    package var data = ""
  }

  private var line: [UInt8] = []
  private var event = Event()
  private var hasData = false
  private var lastWasReturn = false
  package private(set) var lastEventID: String?

  package init() {}

  /// - Throws: `ClientError.malformedResponse` for a line without end.
  package mutating func received(_ piece: ByteBuffer) throws(ClientError) -> [Event] {
    var events: [Event] = []
    for byte in piece.readableBytesView {
      switch byte {
      case UInt8(ascii: "\n") where lastWasReturn: lastWasReturn = false
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        lastWasReturn = byte == UInt8(ascii: "\r")
        if let complete = endLine() { events.append(complete) }
      default:
        lastWasReturn = false
        line.append(byte)
        guard line.count <= Limits.eventStreamLineBytesMaximum else {
          throw .malformedResponse("event stream line of more than \(Limits.eventStreamLineBytesMaximum) bytes")
        }
      }
    }
    return events
  }

  /// An empty line completes an event.
  private mutating func endLine() -> Event? {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else {
      defer {
        event = Event()
        hasData = false
      }
      return hasData ? event : nil
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    let name = String(decoding: line[..<colon], as: UTF8.self)
    var rest = line[min(colon + 1, line.endIndex)...]
    if rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
    let value = String(decoding: rest, as: UTF8.self)
    switch name {
    case "id":
      event.id = value
      lastEventID = value
    case "event": event.name = value
    case "data":
      event.data += hasData ? "\n" + value : value
      hasData = true
    default: break  // A comment, or a field that we do not know.
    }
    return nil
  }
}
