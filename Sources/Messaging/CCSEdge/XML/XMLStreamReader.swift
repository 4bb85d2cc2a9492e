import CExpat

/// Takes the bytes of one XML stream and gives its stanzas, one by one, as they are asked for.
///
/// Bytes wait here until they are asked for: whoever asks for no stanza while he cannot take one, or until he has
/// changed the reader's mind (`restart`), misses nothing. The parser is fed up to the next `>` at a time, because only
/// there can a stanza end. That makes what happens depend on the bytes alone, not on how they came in; and it keeps a
/// client that sends one byte at a time from having the same tag looked at again and again.
///
/// Spec: RFC 6120, 4, 11. Not safe to share: of one connection, on its event loop.
final class XMLStreamReader {
  private let limits: XMLLimits
  /// Bytes of one stanza or start tag; raised when the client is known.
  var unitBytesMaximum: Int

  private var parser: XML_Parser?
  private var input: [UInt8] = []
  private var position = 0
  /// No `>` before this place that has not been looked at.
  private var scanned = 0
  /// Bytes of the stanza (or start tag) in progress that the parser has seen.
  private var unitBytes = 0
  private var elementCount = 0
  /// Pieces in a row that told the parser nothing: each ended at a `>` inside of a tag.
  private var fruitlessPieces = 0
  private var isFruitless = true
  /// Nothing of the document has been read.
  private var isAtStart = true
  private var depth = 0
  /// The stanza in progress and what is open in it.
  private var open: [XMLElement] = []
  private var event: XMLStreamEvent?
  private var hasEnded = false

  init(limits: XMLLimits = XMLLimits(), unitBytesMaximum: Int) {
    self.limits = limits
    self.unitBytesMaximum = unitBytesMaximum
    makeParser()
  }

  deinit { XML_ParserFree(parser) }

  func append(_ bytes: some Collection<UInt8>) {
    guard !hasEnded else { return }
    if position > 0 {
      input.removeFirst(position)
      scanned -= position
      position = 0
    }
    input.append(contentsOf: bytes)
  }

  /// A new stream begins with what has not been read yet. Spec: RFC 6120, 6.4.6.
  func restart() {
    XML_ParserFree(parser)
    makeParser()
    (depth, unitBytes, elementCount, fruitlessPieces) = (0, 0, 0, 0)
    open = []
  }

  /// The next event; nil if it takes more bytes, and for good after `.closed` or `.failed`.
  func next() -> XMLStreamEvent? {
    guard !hasEnded else { return nil }
    while event == nil {
      if unitBytes == 0 { skipBlanks() }
      let end = input[scanned...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 }
      scanned = end ?? input.count
      guard unitBytes + scanned - position <= unitBytesMaximum else {
        event = .failed(.policyViolation)
        break
      }
      guard let end else { return nil }
      parse(position..<end)
      position = end
    }
    defer { event = nil }
    switch event {
    case .closed, .failed:
      hasEnded = true
      input = []
      (position, scanned) = (0, 0)
    case .opened, .stanza, nil: break
    }
    return event
  }

  /// Blanks between stanzas keep a connection alive and mean nothing. Spec: GCM C16.
  private func skipBlanks() {
    while position < input.count, Self.isBlank(input[position]) { position += 1 }
    scanned = max(scanned, position)
  }

  private func parse(_ piece: Range<Int>) {
    isFruitless = true
    unitBytes += piece.count
    if isAtStart, Self.isUTF16(input[piece]) {
      event = .failed(.unsupportedEncoding)
      return
    }
    isAtStart = false
    let status = input.withUnsafeBytes { bytes in
      XML_Parse(
        parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self).advanced(by: piece.lowerBound),
        CInt(piece.count), 0)
    }
    if status == XML_STATUS_ERROR, !isFailure { event = .failed(condition) }
    fruitlessPieces = isFruitless ? fruitlessPieces + 1 : 0
    if event == nil, fruitlessPieces > limits.fruitlessPiecesMaximum { event = .failed(.policyViolation) }
  }

  private var isFailure: Bool { if case .failed = event { true } else { false } }

  private var condition: StreamCondition {
    switch XML_GetErrorCode(parser) {
    case XML_ERROR_NO_MEMORY: .resourceConstraint
    case XML_ERROR_UNBOUND_PREFIX, XML_ERROR_RESERVED_PREFIX_XML, XML_ERROR_RESERVED_PREFIX_XMLNS,
      XML_ERROR_RESERVED_NAMESPACE_URI:
      .badNamespacePrefix
    default: .notWellFormed
    }
  }

  /// With or without a mark of the byte order. Spec: XML 1.0, appendix F.
  private static func isUTF16(_ bytes: ArraySlice<UInt8>) -> Bool {
    switch (bytes.first, bytes.dropFirst().first) {
    case (0xFF, 0xFE), (0xFE, 0xFF), (0x3C, 0x00), (0x00, 0x3C): true
    default: false
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }
}

// MARK: What the parser says

extension XMLStreamReader {
  /// Stands between namespace and name in what the parser says; the parser takes no namespace that has one.
  private static let separator = UInt8(ascii: "\n")

  private func makeParser() {
    // A stream is UTF-8, and says nothing else of itself. Spec: RFC 6120, 11.6.
    isAtStart = true
    parser = XML_ParserCreateNS("UTF-8", XML_Char(Self.separator))
    guard parser != nil else {
      event = .failed(.resourceConstraint)
      return
    }
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    // A tag is read as soon as it is whole, even if it came in pieces: its sender waits for an answer.
    _ = XML_SetReparseDeferralEnabled(parser, XML_Bool(0))
    // Document types end the stream, so that there are no entities; should one get through, it does not grow.
    _ = XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser, limits.amplificationMaximum)
    _ = XML_SetBillionLaughsAttackProtectionActivationThreshold(parser, UInt64(limits.entityBytesMaximum))
    XML_SetElementHandler(
      parser, { XMLStreamReader.from($0)?.started($1, $2) }, { data, _ in XMLStreamReader.from(data)?.ended() })
    XML_SetCharacterDataHandler(parser) { XMLStreamReader.from($0)?.read($1, Int($2)) }
    XML_SetXmlDeclHandler(parser) { data, _, encoding, _ in XMLStreamReader.from(data)?.declared(encoding) }
    // What a stream may not have at all. Spec: RFC 6120, 11.1.
    XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in XMLStreamReader.from(data)?.stop(.restrictedXML) }
    XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
      XMLStreamReader.from(data)?.stop(.restrictedXML)
    }
    XML_SetProcessingInstructionHandler(parser) { data, _, _ in XMLStreamReader.from(data)?.stop(.restrictedXML) }
    XML_SetCommentHandler(parser) { data, _ in XMLStreamReader.from(data)?.stop(.restrictedXML) }
  }

  /// The reader that a callback is for: alive, because it is calling the parser.
  private static func from(_ data: UnsafeMutableRawPointer?) -> XMLStreamReader? {
    data.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  private func stop(_ condition: StreamCondition) {
    if !isFailure { event = .failed(condition) }
    XML_StopParser(parser, XML_Bool(0))
  }

  /// A sender that declares something else writes something else, or will be taken to do so by whoever reads after us.
  private func declared(_ encoding: UnsafePointer<XML_Char>?) {
    guard let encoding, text(encoding, limits.nameBytesMaximum)?.uppercased() != "UTF-8" else { return }
    stop(.unsupportedEncoding)
  }

  private func started(_ name: UnsafePointer<XML_Char>?, _ pairs: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) {
    isFruitless = false
    depth += 1
    elementCount += 1
    guard depth <= limits.depthMaximum, elementCount <= limits.elementsMaximum, let name = self.name(name) else {
      return stop(.policyViolation)
    }
    var element = XMLElement(name: name)
    var index = 0
    while let key = pairs?[index], let value = pairs?[index + 1] {
      index += 2
      guard element.attributes.count < limits.attributesMaximum, let key = self.name(key),
        let value = text(value, limits.attributeBytesMaximum)
      else { return stop(.policyViolation) }
      element.attributes.append(XMLAttribute(name: key, value: value))
    }
    if depth == 1 {
      finish(.opened(element))
    } else {
      open.append(element)
    }
  }

  private func ended() {
    isFruitless = false
    depth -= 1
    guard let element = open.popLast() else { return finish(.closed) }
    if open.isEmpty {
      finish(.stanza(element))
    } else {
      open[open.count - 1].children.append(element)
    }
  }

  private func read(_ start: UnsafePointer<XML_Char>?, _ count: Int) {
    isFruitless = false
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    if open.isEmpty {
      if !bytes.allSatisfy(Self.isBlank) { stop(.badFormat) }
    } else {
      open[open.count - 1].text.append(contentsOf: bytes)
    }
  }

  private func finish(_ event: XMLStreamEvent) {
    guard !isFailure else { return }
    // `<stream/>` is opened and closed by one tag: the end counts.
    self.event = event
    (unitBytes, elementCount) = (0, 0)
  }

  private func name(_ text: UnsafePointer<XML_Char>?) -> XMLName? {
    guard let text, let whole = self.text(text, limits.nameBytesMaximum) else { return nil }
    guard let place = whole.utf8.firstIndex(of: Self.separator) else { return XMLName("", whole) }
    return XMLName(String(whole[..<place]), String(whole[whole.utf8.index(after: place)...]))
  }

  private func text(_ start: UnsafePointer<XML_Char>, _ maximum: Int) -> String? {
    var count = 0
    while count <= maximum, start[count] != 0 { count += 1 }
    guard count <= maximum else { return nil }
    return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
}

/// What XML on a stream may demand of its reader.
struct XMLLimits: Sendable {
  /// Elements that may be open at once, the stream's own among them.
  var depthMaximum = 12
  /// Elements of one stanza.
  var elementsMaximum = 128
  var attributesMaximum = 24
  /// A name with its namespace.
  var nameBytesMaximum = 512
  var attributeBytesMaximum = 3_072
  /// Times that a `>` inside of a tag is looked at.
  var fruitlessPiecesMaximum = 16
  /// Entities may make that many bytes of one, once there are `entityBytesMaximum`.
  var amplificationMaximum: Float = 2
  var entityBytesMaximum = 1_024
}
