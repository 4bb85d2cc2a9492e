import EventSourcing

/// The lines of a transcript as columns, a message inside the chat's state. Frozen.
///
/// | field | content |
/// |---|---|
/// | 1 | heads, packed: type (4 bits), 1 if the text is the placeholder of erased ones, author (all bits above) |
/// | 2 | times, packed: zigzag milliseconds since the line before, the first since 1970 |
/// | 3 | text…, one for each line whose type has no fixed text and that is not erased |
/// | 4 | stranger…: nickname 1, role 2; one for each line with author 0 |
/// | 5 | places among all lines, packed (agent-only lines only) |
///
/// The author is the number of a party plus one: nickname and role are the party's, and stand there once. A line whose
/// nickname and role no party has (its party number was never given out) brings its own. Positions are not stored, since
/// they count from 1 without gaps.
struct ChatLineColumns {
  struct Line {
    let type: TranscriptEventType
    let nickname: String
    let text: String
    let role: PartyRole
    let time: Timestamp
  }

  private struct Author: Hashable {
    let nickname: String
    let role: PartyRole
  }

  private var heads: [UInt64] = []
  private var times: [UInt64] = []
  private var texts: [String] = []
  private var strangers: [Author] = []
  private(set) var places: [UInt64] = []
  private var parties: [Author: UInt64] = [:]
  private var lastTime: Int64 = 0

  private static let typeMask: UInt64 = 0xF
  private static let erasedBit: UInt64 = 0x10
  private static let authorShift: UInt64 = 5

  /// - Parameter capacity: how many lines will be appended.
  init(of parties: [ChatParty], capacity: Int) {
    // Of several joins under one name the first stands for all: what the line shows is the same.
    for (number, party) in parties.enumerated().reversed() {
      self.parties[Author(nickname: party.nickname, role: party.role)] = UInt64(number)
    }
    heads.reserveCapacity(capacity)
    times.reserveCapacity(capacity)
  }

  /// - Parameter place: for agent-only lines, among all lines.
  mutating func append(_ line: Line, place: Int? = nil) {
    let author = Author(nickname: line.nickname, role: line.role)
    var head = line.type.code
    if let number = parties[author] { head |= (number + 1) << Self.authorShift } else { strangers.append(author) }
    if line.type.fixedText == nil {
      if line.text == ErasurePlaceholder.text { head |= Self.erasedBit } else { texts.append(line.text) }
    }
    heads.append(head)
    let elapsed = line.time.milliseconds &- lastTime
    times.append(UInt64(bitPattern: (elapsed << 1) ^ (elapsed >> 63)))
    lastTime = line.time.milliseconds
    if let place { places.append(UInt64(place)) }
  }

  func encode(into writer: inout PayloadWriter) {
    writer.packed(1, heads)
    writer.packed(2, times)
    for text in texts { writer.text(3, text) }
    for stranger in strangers {
      writer.nested(4) { inner in
        inner.text(1, stranger.nickname)
        inner.unsigned(2, stranger.role.code)
      }
    }
    writer.packed(5, places)
  }
}

extension ChatLineColumns {
  init(payload: inout PayloadReader) throws(PayloadError) {
    while let field = try payload.next() {
      switch field {
      case 1: heads += try payload.packed()
      case 2: times += try payload.packed()
      case 3: texts.append(try payload.text())
      case 4:
        var inner = try payload.nested()
        strangers.append(try Self.stranger(&inner))
      case 5: places += try payload.packed()
      default: try payload.skip()
      }
    }
  }

  /// The lines, in order.
  /// - Throws: `PayloadError` if the columns do not belong together.
  func lines(of parties: [ChatParty]) throws(PayloadError) -> [Line] {
    guard heads.count == times.count else { throw .outOfRange(field: 2) }
    var lines: [Line] = []
    lines.reserveCapacity(heads.count)
    var texts = texts[...]
    var strangers = strangers[...]
    var time: Int64 = 0
    for (head, elapsed) in zip(heads, times) {
      guard let type = TranscriptEventType(code: head & Self.typeMask) else { throw .outOfRange(field: 1) }
      time &+= Int64(bitPattern: elapsed >> 1) ^ -Int64(bitPattern: elapsed & 1)
      let text: String
      if let fixed = type.fixedText {
        text = fixed
      } else if head & Self.erasedBit != 0 {
        text = ErasurePlaceholder.text
      } else {
        text = try texts.popFirst().required(3)
      }
      let author = try author(head >> Self.authorShift, parties, &strangers)
      lines.append(
        Line(
          type: type, nickname: author.nickname, text: text, role: author.role, time: Timestamp(milliseconds: time)))
    }
    guard texts.isEmpty else { throw .outOfRange(field: 3) }
    guard strangers.isEmpty else { throw .outOfRange(field: 4) }
    return lines
  }

  private func author(
    _ code: UInt64, _ parties: [ChatParty], _ strangers: inout ArraySlice<Author>
  ) throws(PayloadError) -> Author {
    if code == 0 { return try strangers.popFirst().required(4) }
    guard code <= UInt64(parties.count) else { throw .outOfRange(field: 1) }
    let party = parties[Int(code) - 1]
    return Author(nickname: party.nickname, role: party.role)
  }

  private static func stranger(_ payload: inout PayloadReader) throws(PayloadError) -> Author {
    var (nickname, role) = (String?.none, UInt64?.none)
    while let field = try payload.next() {
      switch field {
      case 1: nickname = try payload.text()
      case 2: role = try payload.unsigned()
      default: try payload.skip()
      }
    }
    return Author(
      nickname: try nickname.required(1), role: try PartyRole(code: role.required(2)).inRange(2))
  }
}
