import EventSourcing

// The fields of a chat's start, a message inside the event `started`. Frozen like those of the events.
extension ChatStart {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, chatSessionID)
    writer.text(2, ifPresent: userKey)
    writer.bool(3, notifiesByComet)
    writer.text(4, nickname)
    writer.text(5, ifNotEmpty: subject)
    writer.text(6, ifPresent: firstMessage)
    if let pushTarget { writer.nested(7) { pushTarget.encode(into: &$0) } }
    writer.text(8, ifNotEmpty: userID)
    writer.text(9, ifNotEmpty: secureKey)
    writer.pairs(10, data)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var chatSessionID: String?
    var nickname: String?
    self.init(
      chatSessionID: "", userKey: nil, notifiesByComet: false, nickname: "", subject: "", firstMessage: nil,
      pushTarget: nil, userID: "", secureKey: "", data: [])
    while let field = try payload.next() {
      switch field {
      case 1: chatSessionID = try payload.text()
      case 2: userKey = try payload.text()
      case 3: notifiesByComet = try payload.bool()
      case 4: nickname = try payload.text()
      case 5: subject = try payload.text()
      case 6: firstMessage = try payload.text()
      case 7:
        var nested = try payload.nested()
        pushTarget = try PushTarget(payload: &nested)
      case 8: userID = try payload.text()
      case 9: secureKey = try payload.text()
      case 10: data.append(try payload.pair())
      default: try payload.skip()
      }
    }
    self.chatSessionID = try chatSessionID.required(1)
    self.nickname = try nickname.required(4)
  }
}

extension PushTarget {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, type)
    writer.text(2, deviceID)
    writer.text(3, ifPresent: provider)
    writer.text(4, ifPresent: language)
    if debug { writer.bool(5, true) }
    writer.text(6, ifPresent: subscriptionID)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var type: String?
    var deviceID: String?
    self.init(type: "", deviceID: "")
    while let field = try payload.next() {
      switch field {
      case 1: type = try payload.text()
      case 2: deviceID = try payload.text()
      case 3: provider = try payload.text()
      case 4: language = try payload.text()
      case 5: debug = try payload.bool()
      case 6: subscriptionID = try payload.text()
      default: try payload.skip()
      }
    }
    self.type = try type.required(1)
    self.deviceID = try deviceID.required(2)
  }
}
