import EventSourcing
import PushDomain

/// What the index must know of a subscription while it sleeps. Field numbers are frozen.
struct SubscriptionNote: PayloadPart {
  private enum Field {
    static let filter = PayloadField<String>(1)
    static let subscriberID = PayloadField<String>(2)
  }

  let filter: SubscriptionFilter
  let subscriberID: String

  init(_ terms: SubscriptionTerms) {
    filter = terms.filter
    subscriberID = terms.subscriberID
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.filter, filter.text)
    writer.put(Field.subscriberID, subscriberID)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let text = try read.required(Field.filter)
    guard let filter = try? SubscriptionFilter(text) else { throw .missingField(Field.filter.number) }
    self.filter = filter
    subscriberID = try read.required(Field.subscriberID)
  }
}
