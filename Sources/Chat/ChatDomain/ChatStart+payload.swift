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
    static let data = PayloadField<NameValuePair>(10)
    static let takesFiles = PayloadField<Bool>(60)
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
    writer.put(Field.takesFiles, ifTrue: takesFiles)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      chatSessionID: try read.required(Field.chatSessionID), userKey: try read[Field.userKey],
      notifiesByComet: try read[Field.notifiesByComet] ?? false, nickname: try read.required(Field.nickname),
      subject: try read[Field.subject] ?? "", firstMessage: try read[Field.firstMessage],
      pushTarget: try read[Field.pushTarget], userID: try read[Field.userID] ?? "",
      secureKey: try read[Field.secureKey] ?? "", data: try read.all(Field.data),
      takesFiles: try read[Field.takesFiles] ?? false)
  }
}

/// With the id of the subscription whose address it is.
extension PushTarget: PayloadAddress {
  public var supplement: String? { subscriptionID }

  public init(
    type: String, deviceID: String, provider: String?, language: String?, debug: Bool, supplement: String?
  ) {
    self.init(
      type: type, deviceID: deviceID, provider: provider, language: language, debug: debug,
      subscriptionID: supplement)
  }
}
