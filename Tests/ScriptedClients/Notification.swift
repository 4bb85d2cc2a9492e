package import JSONEnvelope

/// The transcript events of the notifications in a reply: position of the last, and (type, text) of each.
package struct Notification: Equatable {
  package var chat: String
  package var state: String
  package var position: String
  package var lines: [[String]]

  package init?(_ message: JSONValue) {
    guard let body = message["data"]?["message"], let chat = body["chatSessionId"]?.string,
      let state = body["chatIxnState"]?.string, let position = body["transcriptPosition"]?.string
    else { return nil }
    self.chat = chat
    self.state = state
    self.position = position
    lines = (body["transcriptToShow"]?.array ?? []).map { tuple in
      [tuple[0]?.string ?? "", tuple[2]?.string ?? ""]
    }
  }
}
