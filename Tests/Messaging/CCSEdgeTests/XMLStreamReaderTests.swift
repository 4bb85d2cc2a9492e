import Testing

@testable import CCSEdge

@Suite("XML stream reader")
struct XMLStreamReaderTests {
  private static let open = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"

  /// All events of a text that comes in pieces of so many bytes.
  private func events(
    _ text: String, piece: Int = .max, limits: XMLLimits = XMLLimits(), unit: Int = 8_192
  ) -> [XMLStreamEvent] {
    let reader = XMLStreamReader(limits: limits, unitBytesMaximum: unit)
    var (rest, events): (ArraySlice<UInt8>, [XMLStreamEvent]) = (Array(text.utf8)[...], [])
    while !rest.isEmpty {
      reader.append(rest.prefix(piece))
      rest = rest.dropFirst(piece)
      while let event = reader.next() { events.append(event) }
    }
    return events
  }

  private func stanzas(_ text: String) -> [XMLElement] {
    events(Self.open + text).compactMap { if case .stanza(let stanza) = $0 { stanza } else { nil } }
  }

  @Test("stanzas come one by one, with text, attributes and children")
  func stanzasComeOneByOne() throws {
    let all = stanzas("<a x='1' y='&lt;&#233;'>one<b>two</b> &amp; three</a>\n <c/>")
    #expect(all.count == 2)
    let first = try #require(all.first)
    #expect(first.name == XMLName("jabber:client", "a"))
    #expect(first["x"] == "1")
    #expect(first["y"] == "<é")
    #expect(String(decoding: first.text, as: UTF8.self) == "one & three")
    #expect(first.child(XMLName("jabber:client", "b"))?.text == Array("two".utf8))
  }

  @Test("the namespace counts, not the prefix")
  func namespaces() {
    let gcm = XMLName("google:mobile:data", "gcm")
    #expect(stanzas("<message><data:gcm xmlns:data='google:mobile:data'>x</data:gcm></message>")[0].child(gcm) != nil)
    #expect(stanzas("<message><gcm xmlns='google:mobile:data'>x</gcm></message>")[0].child(gcm) != nil)
    #expect(stanzas("<message><gcm>x</gcm></message>")[0].child(gcm) == nil)
  }

  @Test("CDATA sections and > in text are text")
  func sections() {
    let stanza = stanzas("<m>a > b <![CDATA[<c> & ]] > d]]></m>").first
    #expect(stanza.map { String(decoding: $0.text, as: UTF8.self) } == "a > b <c> & ]] > d")
  }

  @Test("the stream's end is the end")
  func end() {
    #expect(events(Self.open + "<a/></stream:stream><b/>").last == .closed)
    #expect(events(Self.open + "</stream:stream> and more").count == 2)
  }

  @Test(
    "what is no stream of ours ends it, with the right word",
    arguments: [
      ("<a></b>", StreamCondition.notWellFormed), ("<a b='1' b='2'/>", .notWellFormed),
      ("<a>&nothing;</a>", .notWellFormed),
      ("<a>\u{1}</a>", .notWellFormed), ("</other>", .notWellFormed), ("<p:a/>", .badNamespacePrefix),
      ("<!-- a comment --><a/>", .restrictedXML), ("<a><!-- a comment --></a>", .restrictedXML),
      ("<?php echo ?><a/>", .restrictedXML), ("text<a/>", .badFormat),
    ])
  func faults(text: String, condition: StreamCondition) {
    #expect(events(Self.open + text).last == .failed(condition))
    #expect(events(Self.open + text, piece: 1).last == .failed(condition))
  }

  @Test(
    "a document type ends the stream before it can define anything",
    arguments: [
      "<!DOCTYPE s [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>",
      "<!DOCTYPE s SYSTEM 'file:///etc/passwd'>", "<!DOCTYPE s [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>",
      "<!DOCTYPE s [<!ENTITY % p SYSTEM 'http://localhost/'> %p;]>", "<!DOCTYPE s>",
    ])
  func doctypes(doctype: String) {
    for piece in [Int.max, 1] {
      #expect(
        events("<?xml version='1.0'?>" + doctype + "<s>&b;</s>", piece: piece) == [.failed(.restrictedXML)])
    }
  }

  @Test("bytes that are not UTF-8 are not well-formed")
  func encodings() {
    let reader = XMLStreamReader(unitBytesMaximum: 8_192)
    reader.append(Array("<?xml version='1.0' encoding='UTF-8'?><a b='".utf8) + [0xE9] + Array("'/>".utf8))
    #expect(reader.next() == .failed(.notWellFormed))
  }

  @Test(
    "a stream may declare UTF-8 and nothing else",
    arguments: ["ISO-8859-1", "US-ASCII", "UTF-16", "utf8", "x-unknown"], [Int.max, 1])
  func declarations(encoding: String, piece: Int) {
    let rest = Self.open + "<a/>"
    #expect(
      events("<?xml version='1.0' encoding='\(encoding)'?>" + rest, piece: piece) == [.failed(.unsupportedEncoding)])
    for good in ["<?xml version='1.0' encoding='utf-8'?>", "<?xml version='1.0'?>", ""] {
      #expect(events(good + rest, piece: piece).count == 2)
    }
  }

  @Test("nor may it be UTF-16, with a mark or without", arguments: [[0xFF, 0xFE], [0xFE, 0xFF], []] as [[UInt8]])
  func wideStreams(mark: [UInt8]) {
    let reader = XMLStreamReader(unitBytesMaximum: 8_192)
    let isLittleEndian = mark != [0xFE, 0xFF]
    reader.append(mark + Self.open.utf8.flatMap { isLittleEndian ? [$0, 0] : [0, $0] })
    #expect(reader.next() == .failed(.unsupportedEncoding))
    #expect(reader.next() == nil)
  }

  @Test("deep, wide and long stanzas are refused at their limits, and not before")
  func limits() {
    var limits = XMLLimits()
    limits.depthMaximum = 4
    limits.elementsMaximum = 6
    limits.attributesMaximum = 3
    limits.attributeBytesMaximum = 10
    limits.nameBytesMaximum = 40
    func last(_ text: String) -> XMLStreamEvent? { events(Self.open + text, limits: limits, unit: 150).last }
    let refused = XMLStreamEvent.failed(.policyViolation)
    #expect(last("<a><b><c/></b></a>") != refused)
    #expect(last("<a><b><c><d/></c></b></a>") == refused)
    #expect(last("<a><b/><b/><b/><b/><b/></a>") != refused)
    #expect(last("<a><b/><b/><b/><b/><b/><b/></a>") == refused)
    #expect(last("<a b='' c='' d=''/>") != refused)
    #expect(last("<a b='' c='' d='' e=''/>") == refused)
    #expect(last("<a b='0123456789'/>") != refused)
    #expect(last("<a b='0123456789x'/>") == refused)
    #expect(last("<a xmlns='\(String(repeating: "n", count: 38))'/>") != refused)
    #expect(last("<a xmlns='\(String(repeating: "n", count: 39))'/>") == refused)
    #expect(last("<a>\(String(repeating: "x", count: 143))</a>") != refused)
    #expect(last("<a>\(String(repeating: "x", count: 144))</a>") == refused)
    #expect(last("<a>\(String(repeating: "x", count: 151))") == refused)
  }

  @Test("a tag that does not end is refused at its limit, also byte by byte")
  func dripFeed() {
    for text in ["<a b='\(String(repeating: "x", count: 9_000))", "<" + String(repeating: "a", count: 9_000)] {
      #expect(events(Self.open + text, piece: 1).last == .failed(.policyViolation))
    }
  }

  @Test("a tag that is looked at again and again is refused")
  func fruitless() {
    #expect(events(Self.open + "<a b='\(String(repeating: ">", count: 16))'/>").count == 2)
    #expect(
      events(Self.open + "<a b='\(String(repeating: ">", count: 1_000))'/>").last == .failed(.policyViolation))
  }

  @Test("blanks between stanzas are free")
  func blanks() {
    let text = String(repeating: " \n\t\r", count: 5_000) + "<a/>"
    #expect(events(Self.open + text, piece: 7, unit: 100).count == 2)
  }

  @Test("after a restart a new document begins with what has not been read")
  func restart() {
    let reader = XMLStreamReader(unitBytesMaximum: 8_192)
    reader.append(Array((Self.open + "<auth/>" + Self.open + "<iq/>").utf8))
    #expect(reader.next() != nil)
    #expect(reader.next() == .stanza(XMLElement(name: XMLName("jabber:client", "auth"))))
    reader.restart()
    if case .opened = reader.next() {} else { Issue.record("the second stream does not open") }
    #expect(reader.next() == .stanza(XMLElement(name: XMLName("jabber:client", "iq"))))
  }

  @Test("events are the same however the bytes come", arguments: 1...40)
  func pieces(piece: Int) {
    let text =
      "<?xml version='1.0'?>\n" + Self.open
      + " <a x='>\"'>é€𝄞 ]]&gt; <![CDATA[>]]>\r\n</a>\n<b><c/></b>  <d>&#x20AC;</d>"
      + "</stream:stream>"
    #expect(events(text, piece: piece) == events(text))
    #expect(events(text).count == 5)
  }
}
