import EventSourcing
import PushDomain

/// What the index must know of a device while it sleeps: its registrations' numbers and topics, or that they are too many
/// for a note. Field numbers are frozen.
struct InstallationNote: PayloadPart {
  /// Bytes; a snapshot's entry has no room for much more.
  static let lengthMaximum = 12_288

  private enum Field {
    static let topics = PayloadField<NumberedTopic>(1)
    static let isCut = PayloadField<Bool>(2)
  }

  private(set) var topics: [NumberedTopic] = []
  private(set) var isCut = false

  private init() {}

  init(_ installation: borrowing Installation) {
    for registration in installation.registrations {
      for topic in registration.indexedTopics {
        topics.append(NumberedTopic(number: registration.number, topic: topic))
      }
    }
  }

  /// Those of the note itself, or of one that only says that it is too long.
  var boundedBytes: [UInt8] {
    let whole = bytes
    guard whole.count > Self.lengthMaximum else { return whole }
    var cut = InstallationNote()
    cut.isCut = true
    return cut.bytes
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(each: Field.topics, topics)
    writer.put(Field.isCut, ifTrue: isCut)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    topics = try read.all(Field.topics)
    isCut = try read[Field.isCut] ?? false
  }
}

/// What one registration is found by.
struct NumberedTopic: PayloadPart {
  private enum Field {
    static let number = PayloadField<Int>(1)
    static let sender = PayloadField<String>(2)
    /// Absent: everyone's.
    static let name = PayloadField<String>(3)
  }

  let number: Int
  let topic: SenderTopic

  init(number: Int, topic: SenderTopic) {
    self.number = number
    self.topic = topic
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.number, number)
    writer.put(Field.sender, topic.sender)
    writer.put(Field.name, topic.name, unless: TopicIndex.everyone)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      number: try read.required(Field.number),
      topic: SenderTopic(
        sender: try read.required(Field.sender), name: try read[Field.name] ?? TopicIndex.everyone))
  }
}
