public import EventSourcing

// A mailbox within the state of its queue. Field numbers are frozen.
extension Mailbox: PayloadPart {
  private enum Field {
    static let messages = PayloadField<Mail>(1)
    /// In the order of their flows.
    static let notices = PayloadField<MailNotice>(2)
    static let confirms = PayloadField<Bool>(3)
    /// Absent: none.
    static let recent = PayloadField<RecentIDs>(4)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(each: Field.messages, messages)
    writer.put(each: Field.notices, notices.sorted { $0.key < $1.key }.map(\.value))
    writer.put(Field.confirms, ifTrue: confirms)
    writer.put(Field.recent, recent, unless: RecentIDs())
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    messages = try read.all(Field.messages)
    for notice in try read.all(Field.notices) { notices[notice.last.flow] = notice }
    confirms = try read[Field.confirms] ?? false
    recent = try read[Field.recent] ?? RecentIDs()
  }
}
