import EventSourcing

/// The lines of a transcript as columns, a message inside the chat's state. Frozen.
///
/// The author is the number of a party plus one: nickname and role are the party's, and stand there once. A line whose
/// nickname and role no party has (its party number was never given out) brings its own. Positions are not stored, since
/// they count from 1 without gaps.
struct ChatLineColumns {
  private enum Field {
    /// Type (4 bits), 1 if the text is the placeholder of erased ones, author (all bits above).
    static let heads = PayloadField<Packed<UInt64>>(1)
    /// Zigzag milliseconds since the line before, the first since 1970.
    static let times = PayloadField<Packed<UInt64>>(2)
    /// One for each line whose type has no fixed text, that is no file's and that is not erased.
    static let text = PayloadField<String>(3)
    /// One for each line with author 0.
    static let stranger = PayloadField<Author>(4)
    /// Among all lines; of agent-only lines only.
    static let places = PayloadField<Packed<UInt64>>(5)
    /// One for each line of the type `file` that is not erased; its text is the file's URL.
    static let file = PayloadField<ChatFile>(60)
  }

  fileprivate struct Author: Hashable {
    let nickname: String
    let role: PartyRole
  }

  private var heads: [UInt64] = []
  private var times: [UInt64] = []
  private var texts: [String] = []
  private var files: [ChatFile] = []
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
  mutating func append(_ line: TranscriptLine, place: Int? = nil) {
    let author = Author(nickname: line.nickname, role: line.role)
    var head = line.type.code
    if let number = parties[author] { head |= (number + 1) << Self.authorShift } else { strangers.append(author) }
    if line.type == .file {
      if let file = line.file { files.append(file) } else { head |= Self.erasedBit }
    } else if line.type.fixedText == nil {
      if line.text == ErasurePlaceholder.text { head |= Self.erasedBit } else { texts.append(line.text) }
    }
    heads.append(head)
    let elapsed = line.time.milliseconds &- lastTime
    times.append(UInt64(bitPattern: (elapsed << 1) ^ (elapsed >> 63)))
    lastTime = line.time.milliseconds
    if let place { places.append(UInt64(place)) }
  }

}

extension ChatLineColumns: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.heads, heads)
    writer.put(Field.times, times)
    writer.put(each: Field.text, texts)
    writer.put(each: Field.stranger, strangers)
    writer.put(Field.places, places)
    writer.put(each: Field.file, files)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    heads = try read.all(Field.heads)
    times = try read.all(Field.times)
    texts = try read.all(Field.text)
    strangers = try read.all(Field.stranger)
    places = try read.all(Field.places)
    files = try read.all(Field.file)
  }

  /// The lines, in order.
  /// - Throws: `PayloadError` if the columns do not belong together.
  func lines(of parties: [ChatParty]) throws(PayloadError) -> [TranscriptLine] {
    guard heads.count == times.count else { throw .outOfRange(field: Field.times.number) }
    var lines: [TranscriptLine] = []
    lines.reserveCapacity(heads.count)
    var (texts, files) = (texts[...], files[...])
    var strangers = strangers[...]
    var time: Int64 = 0
    for (head, elapsed) in zip(heads, times) {
      guard let type = TranscriptEventType(code: head & Self.typeMask) else {
        throw .outOfRange(field: Field.heads.number)
      }
      time &+= Int64(bitPattern: elapsed >> 1) ^ -Int64(bitPattern: elapsed & 1)
      let text: String
      var file: ChatFile?
      if let fixed = type.fixedText {
        text = fixed
      } else if head & Self.erasedBit != 0 {
        text = ErasurePlaceholder.text
      } else if type == .file {
        let named = try files.popFirst().required(Field.file)
        (text, file) = (named.url, named)
      } else {
        text = try texts.popFirst().required(Field.text)
      }
      let author = try author(head >> Self.authorShift, parties, &strangers)
      lines.append(
        TranscriptLine(
          type: type, nickname: author.nickname, text: text, role: author.role, time: Timestamp(milliseconds: time),
          file: file))
    }
    guard texts.isEmpty else { throw .outOfRange(field: Field.text.number) }
    guard files.isEmpty else { throw .outOfRange(field: Field.file.number) }
    guard strangers.isEmpty else { throw .outOfRange(field: Field.stranger.number) }
    return lines
  }

  private func author(
    _ code: UInt64, _ parties: [ChatParty], _ strangers: inout ArraySlice<Author>
  ) throws(PayloadError) -> Author {
    if code == 0 { return try strangers.popFirst().required(Field.stranger) }
    guard code <= UInt64(parties.count) else { throw .outOfRange(field: Field.heads.number) }
    let party = parties[Int(code) - 1]
    return Author(nickname: party.nickname, role: party.role)
  }
}

extension ChatLineColumns.Author: PayloadPart {
  private enum Field {
    static let nickname = PayloadField<String>(1)
    static let role = PayloadField<PartyRole>(2)
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.nickname, nickname)
    writer.put(Field.role, role)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(nickname: try read.required(Field.nickname), role: try read.required(Field.role))
  }
}
