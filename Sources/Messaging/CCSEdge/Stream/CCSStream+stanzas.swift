import GCMProtocol

/// What comes and goes on a stream whose client is known.
extension CCSStream {
  mutating func exchanged(_ stanza: XMLElement) -> [CCSAction] {
    guard stanza.name.namespace == XMLNamespace.client else { return fail(.unsupportedStanzaType) }
    switch stanza.name.local {
    case "message": return phase == .bound ? message(stanza) : fail(.notAuthorized)
    case "iq": return query(stanza)
    case "presence": return []
    default: return fail(.unsupportedStanzaType)
    }
  }

  // MARK: message

  private mutating func message(_ stanza: XMLElement) -> [CCSAction] {
    // An error about an error would go on for ever.
    guard stanza["type"] != "error" else { return [] }
    guard let payload = stanza.child(XMLName(XMLNamespace.messages, "gcm")) else {
      return [.write(Self.refusal(of: stanza, payload: nil, "Missing element: gcm"))]
    }
    switch CCSRequest.parse(payload.text) {
    case .message(let address, let request):
      guard ending == nil else { return [.write(Self.message(CCSAnswer.draining(address).bytes))] }
      pendingCount += 1
      return [.send(address, request)]
    case .ack(let id): return [.acknowledge(messageID: id)]
    case .refused(let answer): return [.write(Self.message(answer.bytes))]
    case .unidentified(let text): return [.write(Self.refusal(of: stanza, payload: payload.text, text))]
    }
  }

  /// A stanza around the JSON of the service. Spec: GCM C3.
  static func message(_ json: [UInt8]) -> [UInt8] {
    var writer = XMLWriter()
    writer.markup("<message><gcm xmlns='google:mobile:data'>")
    writer.json(json)
    writer.markup("</gcm></message>")
    return writer.bytes
  }

  /// Spec: GCM C7.
  private static func refusal(of stanza: XMLElement, payload: [UInt8]?, _ text: String) -> [UInt8] {
    var writer = XMLWriter()
    writer.markup("<message type='error'")
    writer.attribute("id", stanza["id"])
    writer.markup(">")
    if let payload {
      writer.markup("<gcm xmlns='google:mobile:data'>")
      writer.text(payload)
      writer.markup("</gcm>")
    }
    writer.markup("<error code='400' type='modify'><bad-request xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>")
    writer.markup("<text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>")
    writer.markup("InvalidJson: ")
    writer.text(text.utf8)
    writer.markup("</text></error></message>")
    return writer.bytes
  }

  // MARK: iq

  private mutating func query(_ iq: XMLElement) -> [CCSAction] {
    // Answers to what was never asked.
    guard iq["type"] == "get" || iq["type"] == "set" else { return [] }
    switch (iq["type"], iq.children.first?.name) {
    case ("set", XMLName(XMLNamespace.binding, "bind")): return bind(iq)
    case ("set", XMLName(XMLNamespace.session, "session")) where phase == .bound,
      ("get", XMLName(XMLNamespace.ping, "ping")):
      return [.write(Self.result(of: iq))]
    default: return [.write(Self.error(of: iq, .serviceUnavailable))]
    }
  }

  private mutating func bind(_ iq: XMLElement) -> [CCSAction] {
    guard phase == .unbound, let sender else { return [.write(Self.error(of: iq, .notAllowed))] }
    let wanted = iq.children.first?.child(XMLName(XMLNamespace.binding, "resource"))?.text ?? []
    guard wanted.count <= settings.resourceBytesMaximum else { return [.write(Self.error(of: iq, .badRequest))] }
    // A client that wants none gets one. Spec: RFC 6120, 7.6.
    let resource = wanted.isEmpty ? id : String(decoding: wanted, as: UTF8.self)
    phase = .bound
    let answer = Self.result(of: iq) { writer in
      writer.markup("<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>")
      writer.text("\(sender)@\(domain)/\(resource)".utf8)
      writer.markup("</jid></bind>")
    }
    return [.write(answer), .attach(sender: sender)]
  }

  private static func result(of iq: XMLElement, _ content: (inout XMLWriter) -> Void = { _ in }) -> [UInt8] {
    var writer = XMLWriter()
    writer.markup("<iq type='result'")
    writer.attribute("id", iq["id"])
    writer.markup(">")
    content(&writer)
    writer.markup("</iq>")
    return writer.bytes
  }

  private static func error(of iq: XMLElement, _ condition: StanzaCondition) -> [UInt8] {
    var writer = XMLWriter()
    writer.markup("<iq type='error'")
    writer.attribute("id", iq["id"])
    writer.markup("><error type='")
    writer.text(condition.type.utf8)
    writer.markup("'><")
    writer.text(condition.rawValue.utf8)
    writer.markup(" xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
    return writer.bytes
  }
}
