public import EventSourcing

// The fields of a chat's start, a message inside the event `started`. Frozen like those of the events.
extension ChatStart: PayloadPart {
  private enum Field {
    static let chatSessionID = PayloadField<String>(1)
    static let userKey = PayloadField<String>(2)
    static let notifiesByComet = PayloadField<Bool>(3)
    static let nickname = PayloadField<String>(4)
    static let subject = PayloadField<String>(5)
    static let firstMessage = PayloadField<String>(6)
    static let pushTarget = PayloadField<PushTarget>(7)
    static let userID = PayloadField<String>(8)
    static let secureKey = PayloadField<String>(9)
    static let data = PayloadField<DataPair>(10)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.chatSessionID, chatSessionID)
    writer.put(Field.userKey, ifPresent: userKey)
    writer.put(Field.notifiesByComet, notifiesByComet)
    writer.put(Field.nickname, nickname)
    writer.put(Field.subject, ifNotEmpty: subject)
    writer.put(Field.firstMessage, ifPresent: firstMessage)
    writer.put(Field.pushTarget, ifPresent: pushTarget)
    writer.put(Field.userID, ifNotEmpty: userID)
    writer.put(Field.secureKey, ifNotEmpty: secureKey)
    writer.put(each: Field.data, data)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      chatSessionID: try read.required(Field.chatSessionID), userKey: try read[Field.userKey],
      notifiesByComet: try read[Field.notifiesByComet] ?? false, nickname: try read.required(Field.nickname),
      subject: try read[Field.subject] ?? "", firstMessage: try read[Field.firstMessage],
      pushTarget: try read[Field.pushTarget], userID: try read[Field.userID] ?? "",
      secureKey: try read[Field.secureKey] ?? "", data: try read.all(Field.data))
  }
}

extension PushTarget: PayloadPart {
  private enum Field {
    static let type = PayloadField<String>(1)
    static let deviceID = PayloadField<String>(2)
    static let provider = PayloadField<String>(3)
    static let language = PayloadField<String>(4)
    static let debug = PayloadField<Bool>(5)
    static let subscriptionID = PayloadField<String>(6)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.type, type)
    writer.put(Field.deviceID, deviceID)
    writer.put(Field.provider, ifPresent: provider)
    writer.put(Field.language, ifPresent: language)
    writer.put(Field.debug, ifTrue: debug)
    writer.put(Field.subscriptionID, ifPresent: subscriptionID)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      type: try read.required(Field.type), deviceID: try read.required(Field.deviceID),
      provider: try read[Field.provider], language: try read[Field.language], debug: try read[Field.debug] ?? false,
      subscriptionID: try read[Field.subscriptionID])
  }
}

extension DataPair: PayloadPart {
  private enum Field {
    static let name = PayloadField<String>(1)
    static let value = PayloadField<String>(2)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.name, name)
    writer.put(Field.value, ifNotEmpty: value)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(try read.required(Field.name), try read[Field.value] ?? "")
  }
}
