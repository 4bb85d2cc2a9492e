import EventSourcing

// The fields of a callback's request and of its pushes, messages inside events and states. Frozen like those.
extension CallbackRequest {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, serviceName)
    writer.unsigned(2, UInt64(terms.direction.rawValue))
    writer.unsigned(3, UInt64(terms.media.rawValue))
    writer.bool(4, ifTrue: terms.waitsForAgent)
    writer.bool(5, ifTrue: terms.confirms)
    writer.bool(6, ifTrue: terms.providesCode)
    for field in fields { writer.nested(7) { field.encode(into: &$0) } }
    writer.text(8, ifNotEmpty: userKey)
    if let device { writer.nested(9) { device.encode(into: &$0) } }
    writer.time(10, ifPresent: desiredTime)
    writer.time(11, ifPresent: slot)
    writer.text(12, ifPresent: accessCode)
    writer.text(13, ifPresent: accessNumber)
    if priority != 0 { writer.integer(14, priority) }
    writer.text(15, ifPresent: language)
    writer.bool(16, ifTrue: isUserKeyMade)
    writer.text(17, ifPresent: issuedKey)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var serviceName: String?, direction: CallDirection?, media: CallbackMedia?
    self.init(serviceName: "", userKey: "")
    terms.waitsForAgent = false
    while let field = try payload.next() {
      switch field {
      case 1: serviceName = try payload.text()
      case 2: direction = try payload.code(field)
      case 3: media = try payload.code(field)
      case 4: terms.waitsForAgent = try payload.bool()
      case 5: terms.confirms = try payload.bool()
      case 6: terms.providesCode = try payload.bool()
      case 7:
        var inner = try payload.nested()
        fields.append(try CallbackField(payload: &inner))
      case 8: userKey = try payload.text()
      case 9:
        var inner = try payload.nested()
        device = try CallbackDevice(payload: &inner)
      case 10: desiredTime = try payload.time()
      case 11: slot = try payload.time()
      case 12: accessCode = try payload.text()
      case 13: accessNumber = try payload.text()
      case 14: priority = try payload.integer()
      case 15: language = try payload.text()
      case 16: isUserKeyMade = try payload.bool()
      case 17: issuedKey = try payload.text()
      default: try payload.skip()
      }
    }
    self.serviceName = try serviceName.required(1)
    terms.direction = try direction.required(2)
    terms.media = try media.required(3)
  }
}

extension CallbackField {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, name)
    writer.text(2, ifNotEmpty: value)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var name: String?
    var value = ""
    while let field = try payload.next() {
      switch field {
      case 1: name = try payload.text()
      case 2: value = try payload.text()
      default: try payload.skip()
      }
    }
    self.init(try name.required(1), value)
  }
}

extension CallbackDevice {
  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.text(1, type)
    writer.text(2, deviceID)
    writer.text(3, ifPresent: provider)
    writer.text(4, ifPresent: language)
    writer.bool(5, ifTrue: debug)
  }

  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var type: String?, deviceID: String?
    self.init(type: "", deviceID: "")
    while let field = try payload.next() {
      switch field {
      case 1: type = try payload.text()
      case 2: deviceID = try payload.text()
      case 3: provider = try payload.text()
      case 4: language = try payload.text()
      case 5: debug = try payload.bool()
      default: try payload.skip()
      }
    }
    self.type = try type.required(1)
    self.deviceID = try deviceID.required(2)
  }
}

extension CallbackPush {
  func encode(into writer: inout PayloadWriter) {
    writer.integer(1, number)
    writer.unsigned(2, UInt64(dialog.rawValue))
    writer.time(3, ifPresent: expiry)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var number: Int?, dialog: CallbackDialog?, expiry: Timestamp?
    while let field = try payload.next() {
      switch field {
      case 1: number = try payload.count(field)
      case 2: dialog = try payload.code(field)
      case 3: expiry = try payload.time()
      default: try payload.skip()
      }
    }
    self.init(number: try number.required(1), dialog: try dialog.required(2), expiry: expiry)
  }
}
