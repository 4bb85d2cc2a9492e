public import EngineKit
import EventSourcing
public import JSONEnvelope

/// Prints a timeline: a line for each entry.
public struct TimelineText: Sendable {
  /// Whether to print what people wrote.
  public var showsTexts: Bool
  /// Hides keys that open something from machines too; nil: they are shown.
  public var mask: KeyMask?
  private var labelWidth = 18
  private var whoWidth = 8
  private var positionWidth = 5

  public init(showsTexts: Bool = true, mask: KeyMask? = nil) {
    self.showsTexts = showsTexts
    self.mask = mask
  }

  /// `2026-02-11 08:30:05.120Z      12  chat 412-0b7c6e1e    4  Mia       “Where is my order?”`
  ///
  /// Time in UTC, record number, entity, number in the transcript, who, what. Control characters are printed as escapes:
  /// what people wrote cannot play with the terminal or fake a line.
  public mutating func line(_ entry: TimelineEntry) -> String {
    let position = String(entry.position)
    positionWidth = max(positionWidth, position.count)
    // What is longer than those before it widens its column from here on; a name up to a point.
    let label = entry.entity.map { Self.label($0, entry.label) } ?? ""
    labelWidth = max(labelWidth, label.count)
    let who = Self.printable(entry.who)
    whoWidth = min(max(whoWidth, who.count), Self.whoWidthMaximum)
    var line = entry.time.iso8601Milliseconds
    line.replaceSubrange(
      line.index(line.startIndex, offsetBy: 10)...line.index(line.startIndex, offsetBy: 10), with: " ")
    line += "  " + TextColumn.right(position, positionWidth)
    line += "  " + TextColumn.left(label, labelWidth)
    line += " " + TextColumn.right(entry.transcriptPosition.map(String.init) ?? "", 4)
    line += "  " + TextColumn.left(who, whoWidth) + "  " + Self.printable(sentence(entry))
    while line.last == " " { line.removeLast() }
    return line
  }

  private func sentence(_ entry: TimelineEntry) -> String {
    guard let text = entry.text else { return entry.what + entry.remark }
    let quoted = showsTexts ? "“\(text)”" : "(\(text.count) characters)"
    return entry.what + (entry.what.isEmpty ? "" : " ") + quoted + entry.remark
  }

  /// One line of JSON, without the line's end; the names of its fields are stable.
  ///
  /// `{"position":12,"time":"…Z","kind":"chat","id":"412-…","event":"linePosted","transcriptPosition":4,"who":"Mia",
  /// "what":"","text":"…","answerTimeMilliseconds":2310,"detail":false}`; fields without a value are absent.
  public func json(_ entry: TimelineEntry) -> [UInt8] {
    JSONWriter.object(capacity: 256) { write(entry, into: &$0) }
  }

  /// The members of that object.
  public func write(_ entry: TimelineEntry, into line: inout JSONObjectWriter) {
    line.member("position", entry.position)
    line.member("time", entry.time.iso8601Milliseconds)
    if let entity = entry.entity {
      line.member("kind", entity.kind.label)
      line.member("id", mask?.masked(id: entity.key, of: entity.kind) ?? entity.key)
    }
    line.member("event", entry.event)
    line.member("transcriptPosition", ifPresent: entry.transcriptPosition)
    line.member("who", entry.who)
    line.member("what", entry.what + (entry.text == nil ? entry.remark : ""))
    if showsTexts { line.member("text", ifPresent: entry.text) }
    if let fate = entry.fate {
      line.member("message", ifPresent: fate.message)
      line.member("outcome", ifPresent: fate.outcome)
      line.member("reason", ifPresent: fate.reason)
      line.member("until", ifPresent: fate.until?.iso8601Milliseconds)
      if fate.isDeadLetter { line.member("deadLetter", true) }
    }
    for span in entry.spans { line.member(named: "\(span.kind.rawValue)Milliseconds", span.milliseconds) }
    line.member("detail", entry.isDetail)
  }

  /// `chat 412-0b7c6e1e`: the kind and as much of the key as tells entities apart.
  private static func label(_ entity: EntityID, _ shown: String?) -> String {
    let kind = entity.kind.name ?? "kind \(entity.kind.rawValue)"
    return kind + " " + printable(shown ?? String(entity.key.prefix(14)))
  }

  private static let whoWidthMaximum = 20

  /// Control characters, separators of lines, and marks that turn the direction of writing, as escapes.
  static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isDangerous) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      case _ where isDangerous(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    case .format: return (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    default: return false
    }
  }
}
