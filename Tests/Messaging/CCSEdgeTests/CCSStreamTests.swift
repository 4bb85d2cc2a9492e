import EventSourcing
import GCMProtocol
import PushDomain
import Testing

@testable import CCSEdge

@Suite("CCS stream, before the login")
struct CCSStreamLoginTests {
  @Test("the login is header, auth, header, bind, and then the engine is asked in")
  func login() {
    var conversation = Conversation()
    conversation.hear(Words.login)
    #expect(conversation.stream.phase == .bound)
    #expect(conversation.stream.sender == "1234567890")
    #expect(conversation.actions.last == .attach(sender: "1234567890"))
    let written = conversation.written
    #expect(written.contains("<mechanism>PLAIN</mechanism>"))
    #expect(written.contains("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"))
    #expect(written.contains("id='id-1'") && written.contains("id='id-2'"))
    #expect(written.contains("<iq type='result' id='b'>"))
    #expect(written.contains("<jid>1234567890@gcm.googleapis.com/r</jid>"))
  }

  @Test("the first stream offers PLAIN and nothing else, the second binding")
  func features() {
    var conversation = Conversation()
    conversation.hear(Words.header)
    #expect(!conversation.written.contains("xmpp-bind"))
    conversation.hear(Words.auth)
    conversation.forget()
    conversation.hear(Words.header)
    #expect(conversation.written.contains("xmpp-bind") && !conversation.written.contains("mechanism"))
  }

  @Test("nothing is read between the key and the answer to it")
  func waits() {
    var stream = CCSStream(id: "id")
    let reader = XMLStreamReader(unitBytesMaximum: 8_192)
    reader.append(Array(Words.login.utf8))
    while stream.takesInput, let event = reader.next() { _ = stream.received(event) }
    #expect(stream.phase == .authenticating(sender: "1234567890"))
    #expect(stream.authenticated(true).last == .restart)
  }

  @Test("a client may be asked for the key apart, or take it back")
  func challenge() {
    var conversation = Conversation()
    conversation.hear(Words.header + "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'/>")
    #expect(conversation.written.hasSuffix("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"))
    conversation.hear("<abort xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>")
    #expect(conversation.written.hasSuffix("<aborted/></failure>"))
    conversation.hear("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'/>")
    conversation.hear(Words.auth.replacing("auth", with: "response"))
    #expect(conversation.stream.phase == .reopening)
  }

  @Test("a wrong key is told, and the third ends the stream")
  func wrongKey() {
    var conversation = Conversation()
    conversation.isGenuine = false
    conversation.hear(Words.header + Words.auth + Words.auth)
    #expect(conversation.written.hasSuffix("<not-authorized/></failure>"))
    conversation.hear(Words.auth)
    #expect(conversation.actions.last == .close(.failed(.policyViolation)))
  }

  @Test(
    "what is no key is told what is wrong with it",
    arguments: [
      ("", "PLAIN", "="), ("malformed-request", "PLAIN", "AAAA"), ("malformed-request", "PLAIN", "AGEA"),
      ("incorrect-encoding", "PLAIN", "AGE*"), ("incorrect-encoding", "PLAIN", "AGEAYg"),
      ("incorrect-encoding", "PLAIN", "A==="), ("invalid-mechanism", "DIGEST-MD5", "AGEAYg=="),
      ("not-authorized", "PLAIN", "AGFAZXZpbC5jb20AYg=="),  // NUL a@evil.com NUL b
      ("invalid-authzid", "PLAIN", "YwBhAGI="),  // c NUL a NUL b
    ])
  func badCredentials(failure: String, mechanism: String, text: String) {
    var conversation = Conversation()
    conversation.hear(
      Words.header + "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='\(mechanism)'>\(text)</auth>")
    let wanted = failure.isEmpty ? "malformed-request" : failure
    #expect(conversation.written.hasSuffix("<\(wanted)/></failure>"))
    #expect(!conversation.actions.contains { if case .authenticate = $0 { true } else { false } })
  }

  @Test("the sender's id may come with either domain or none, and as authorization id too")
  func credentials() throws {
    let domains = CCSStreamSettings().domains
    for text in ["AGEAYg==", "AGFAZ2NtLmdvb2dsZWFwaXMuY29tAGI=", "YQBhAGI=", "AGFARkNNLmdvb2dsZWFwaXMuY29tAGI="] {
      let credentials = try PlainCredentials(message: Array(text.utf8), domains: domains)
      #expect(credentials.sender == "a")
      #expect(credentials.password == "b")
    }
  }

  @Test(
    "a header that is not ours ends the stream, behind a header of our own",
    arguments: [
      (Words.header.replacing("gcm.googleapis.com", with: "example.org"), StreamCondition.hostUnknown),
      (Words.header.replacing("version='1.0' xmlns", with: "version='2.0' xmlns"), .unsupportedVersion),
      (Words.header.replacing("version='1.0' xmlns", with: "xmlns"), .unsupportedVersion),
      (Words.header.replacing("etherx", with: "other"), .invalidNamespace), ("<html>", .invalidNamespace),
      ("GET / HTTP/1.1\r\n\r\n<>", .notWellFormed),
    ])
  func badHeader(header: String, condition: StreamCondition) {
    var conversation = Conversation()
    conversation.hear(header)
    #expect(conversation.actions.last == .close(.failed(condition)))
    #expect(conversation.written.hasPrefix("<?xml version='1.0'?><stream:stream"))
    #expect(
      conversation.written.hasSuffix(
        "<stream:error><\(condition.rawValue) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>"
          + "</stream:stream>"))
  }

  @Test(
    "stanzas before the login end the stream",
    arguments: [
      Words.header + Words.bind, Words.header + Words.send("1"),
      Words.header + Words.auth + Words.header + Words.send("1"),
    ])
  func early(text: String) {
    var conversation = Conversation()
    conversation.hear(text)
    #expect(conversation.actions.last == .close(.failed(.notAuthorized)))
  }
}

@Suite("CCS stream, logged in")
struct CCSStreamTests {
  private func bound(settings: CCSStreamSettings = CCSStreamSettings()) -> Conversation {
    var conversation = Conversation(settings: settings)
    conversation.hear(Words.login)
    conversation.forget()
    return conversation
  }

  @Test("a message is sent and acknowledged")
  func ack() {
    var conversation = bound()
    conversation.hear(Words.send("m-1"))
    guard case .send(let address, let request) = conversation.actions.first else {
      Issue.record("nothing is sent")
      return
    }
    #expect(address == CCSAddress(messageID: "m-1", to: "token"))
    #expect(request.data == [MailPair("k", "v")])
    #expect(request.messageID == "m-1")
    #expect(
      conversation.written == "<message><gcm xmlns='google:mobile:data'>"
        + #"{"from":"token","message_id":"m-1","message_type":"ack"}"# + "</gcm></message>")
  }

  @Test("a repeated message id is answered each time")
  func duplicates() {
    var conversation = bound()
    conversation.answers = false
    conversation.hear(Words.send("m-1") + Words.send("m-1"))
    #expect(conversation.stream.pendingCount == 2)
    conversation.answerAll()
    #expect(conversation.written.components(of: #""message_id":"m-1""#) == 2)
  }

  @Test("what is not usable is refused with a code and a text")
  func nack() {
    var conversation = bound()
    conversation.hear(Words.message(#"{"to":"t","message_id":"m","time_to_live":-1}"#))
    #expect(
      conversation.written.contains(#""message_type":"nack","error":"INVALID_JSON","error_description":"Invalid v"#))
    #expect(conversation.stream.pendingCount == 0)
  }

  @Test(
    "without a message id the answer is a stanza error with an echo", arguments: [#"{"to":"<t>"}"#, "nonsense", ""])
  func stanzaError(json: String) {
    var conversation = bound()
    conversation.hear(Words.message(json))
    let written = conversation.written
    #expect(written.hasPrefix("<message type='error' id='m'><gcm xmlns='google:mobile:data'>"))
    #expect(
      written.contains("<error code='400' type='modify'><bad-request xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"))
    #expect(written.contains("InvalidJson: JSON_PARSING_ERROR"))
    if json.contains("<") { #expect(written.contains(#"{"to":"&lt;t&gt;"}"#)) }
  }

  @Test("an error is not answered")
  func error() {
    var conversation = bound()
    conversation.hear("<message type='error'><gcm xmlns='google:mobile:data'>{}</gcm></message>")
    #expect(conversation.actions == [])
  }

  @Test("at the limit nothing more is read, and nothing is lost")
  func backPressure() {
    var settings = CCSStreamSettings()
    settings.pendingMaximum = 3
    var conversation = bound(settings: settings)
    conversation.answers = false
    conversation.hear((1...7).map { Words.send("m-\($0)") }.joined())
    #expect(conversation.waiting.map(\.messageID) == ["m-1", "m-2", "m-3"])
    #expect(!conversation.stream.takesInput)
    conversation.answerAll()
    #expect(conversation.waiting.map(\.messageID) == ["m-4", "m-5", "m-6"])
    conversation.answerAll()
    #expect(conversation.waiting.map(\.messageID) == ["m-7"])
    #expect(conversation.stream.takesInput)
  }

  @Test("acks of the app server do not count among the pending and are handed on")
  func acknowledgement() {
    var conversation = bound()
    conversation.hear(Words.ack("u-1"))
    #expect(conversation.actions == [.acknowledge(messageID: "u-1")])
    conversation.forget()
    conversation.hear(Words.message(#"{"message_id":"u-1","message_type":"ack"}"#))
    #expect(conversation.written.contains("BAD_ACK"))
  }

  @Test("what devices send is written as it is, with what XML cannot hold escaped in JSON")
  func delivery() {
    var conversation = bound()
    let mail = Mail(
      id: "u-1", scope: "", origin: "token", category: "com.example", sender: "1", acceptedAt: .epoch, timeToLive: 60,
      pairs: [MailPair("k", "<&>\u{FFFE}\u{FFFF}\u{FFFD}")])
    conversation.perform(conversation.stream.deliver(mail))
    #expect(conversation.written.contains(#""k":"&lt;&amp;&gt;\ufffe\uffff"# + "\u{FFFD}\""))
    // Our own reader takes it.
    let reader = XMLStreamReader(unitBytesMaximum: 8_192)
    reader.append(Array((Words.header + conversation.written).utf8))
    _ = reader.next()
    if case .stanza = reader.next() {} else { Issue.record("not a stanza") }
  }

  @Test(
    "queries are answered",
    arguments: [
      ("<iq type='get' id='p&apos;1'><ping xmlns='urn:xmpp:ping'/></iq>", "<iq type='result' id='p&apos;1'></iq>"),
      (
        "<iq type='set' id='s'><session xmlns='urn:ietf:params:xml:ns:xmpp-session'/></iq>",
        "<iq type='result' id='s'></iq>"
      ),
      (
        "<iq type='get' id='d'><query xmlns='http://jabber.org/protocol/disco#info'/></iq>",
        "<iq type='error' id='d'><error type='cancel'><service-unavailable "
          + "xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
      ),
      (
        Words.bind,
        "<iq type='error' id='b'><error type='cancel'><not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
      ),
      ("<iq type='result' id='x'/>", ""), ("<iq type='error' id='x'/>", ""), ("<presence/>", ""), (" \n ", ""),
    ])
  func queries(query: String, answer: String) {
    var conversation = bound()
    conversation.hear(query)
    #expect(conversation.written == answer)
  }

  @Test(
    "what is no stanza ends the stream",
    arguments: [
      ("<other/>", StreamCondition.unsupportedStanzaType), ("<message xmlns='other'/>", .unsupportedStanzaType),
      ("<message></iq>", .notWellFormed), ("words<message/>", .badFormat),
    ])
  func noStanza(text: String, condition: StreamCondition) {
    var conversation = bound()
    conversation.hear(text)
    #expect(conversation.actions.last == .close(.failed(condition)))
    #expect(!conversation.written.contains("<?xml"))
  }

  @Test("a resource is made for a client that names none, and a huge one is refused")
  func resources() {
    var conversation = Conversation()
    conversation.hear(Words.login.replacing("<resource>r</resource>", with: ""))
    #expect(conversation.written.contains("<jid>1234567890@gcm.googleapis.com/id</jid>"))
    conversation = Conversation()
    conversation.hear(Words.login.replacing(">r<", with: ">\(String(repeating: "r", count: 257))<"))
    #expect(conversation.written.contains("<bad-request"))
    #expect(conversation.stream.phase == .unbound)
  }
}

@Suite("CCS stream, near its end")
struct CCSStreamEndTests {
  private func bound() -> Conversation {
    var conversation = Conversation()
    conversation.hear(Words.login)
    conversation.answers = false
    conversation.forget()
    return conversation
  }

  @Test("draining: told, new messages refused, those under way finished, then closed")
  func draining() {
    var conversation = bound()
    conversation.hear(Words.send("m-1"))
    conversation.forget()
    conversation.perform(conversation.stream.drain())
    #expect(conversation.written.contains(#"{"message_type":"control","control_type":"CONNECTION_DRAINING"}"#))
    conversation.forget()
    conversation.hear(Words.send("m-2") + Words.ack("u-1"))
    #expect(conversation.written.contains(#""message_id":"m-2","message_type":"nack","error":"CONNECTION_DRAINING""#))
    #expect(conversation.actions.last == .acknowledge(messageID: "u-1"))
    conversation.perform(conversation.stream.drainingEnded())
    conversation.forget()
    conversation.answerAll()
    #expect(conversation.written.contains(#""message_id":"m-1","message_type":"ack""#))
    #expect(conversation.written.hasSuffix("</stream:stream>"))
    #expect(conversation.actions.last == .close(.drained))
  }

  @Test("a stream that is not logged in does not drain: it ends")
  func drainingBeforeLogin() {
    var conversation = Conversation()
    conversation.perform(conversation.stream.drain())
    #expect(conversation.actions.last == .close(.failed(.systemShutdown)))
  }

  @Test("a client that closes its side still gets its answers")
  func leaving() {
    var conversation = bound()
    conversation.hear(Words.send("m-1") + "</stream:stream>")
    #expect(conversation.stream.phase == .bound)
    conversation.forget()
    conversation.answerAll()
    #expect(conversation.written.hasSuffix("</gcm></message></stream:stream>"))
    #expect(conversation.actions.last == .close(.left))
  }

  @Test("nothing comes out of a closed stream")
  func closed() {
    var conversation = bound()
    conversation.hear(Words.send("m-1") + "<")
    conversation.perform(conversation.stream.fail(.connectionTimeout))
    conversation.forget()
    conversation.answerAll()
    conversation.perform(conversation.stream.drain() + conversation.stream.fail(.policyViolation))
    conversation.hear("message/>")
    #expect(conversation.actions == [])
  }
}

@Suite("CCS stream, in pieces")
struct CCSStreamPiecesTests {
  private static let session = Array(
    (Words.login + Words.send("m-1", to: "t&amp;") + " \n" + Words.ack("u-1") + Words.message("{}")
      + "<iq type='get' id='p'><ping xmlns='urn:xmpp:ping'/></iq><presence/>"
      + Words.message(#"{"to":"/topics/é€","message_id":"m-2","data":{"a":"x > y"}}"#) + "</stream:stream>").utf8)

  private func actions(_ pieces: [ArraySlice<UInt8>]) -> [CCSAction] {
    var conversation = Conversation()
    for piece in pieces { conversation.hear(piece) }
    return conversation.actions
  }

  @Test("every split of a session's bytes in two gives the same actions")
  func splits() {
    let session = Self.session
    let whole = actions([session[...]])
    #expect(whole.last == .close(.left))
    for place in session.indices where actions([session[..<place], session[place...]]) != whole {
      Issue.record("another outcome for a split at \(place)")
    }
    #expect(actions(session.indices.map { session[$0...$0] }) == whole)
  }

  @Test("so does every other way to cut it, and every session that ends in a fault", arguments: 1...60)
  func randomPieces(seed: UInt64) {
    var random = SplitMix(state: seed)
    var session = Self.session
    if seed % 2 == 0 { session[Int(random.next() % UInt64(session.count))] = UInt8(truncatingIfNeeded: random.next()) }
    let whole = actions([session[...]])
    var (pieces, start): ([ArraySlice<UInt8>], Int) = ([], 0)
    while start < session.count {
      let end = min(session.count, start + 1 + Int(random.next() % 90))
      pieces.append(session[start..<end])
      start = end
    }
    #expect(actions(pieces) == whole, "seed \(seed)")
  }
}

/// A small generator with a seed.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}

extension String {
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
