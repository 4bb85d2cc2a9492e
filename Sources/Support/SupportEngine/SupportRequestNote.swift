import EventSourcing
import SupportDomain

/// What the index must know of a request while it sleeps. Field numbers are frozen.
struct SupportRequestNote: Equatable, PayloadPart {
  private enum Field {
    /// Absent: it was erased.
    static let requester = PayloadField<Int64>(1)
    static let channel = PayloadField<SupportChannel>(2)
    static let app = PayloadField<String>(3)
    static let status = PayloadField<SupportStatus>(4)
    static let assignee = PayloadField<Int64>(5)
    static let updatedAt = PayloadField<Timestamp>(6)
    /// Of its chat; absent: none.
    static let service = PayloadField<String>(7)
  }

  var requester: Int64?
  var channel = SupportChannel.api
  var app: String?
  var status = SupportStatus.new
  var assignee: Int64?
  var updatedAt = Timestamp.epoch
  var service: String?

  /// The app or the service by which agents have to do with it; nil if it belongs to none.
  var home: String? { app ?? service }

  init(_ request: borrowing SupportRequest) {
    requester = request.terms?.requester
    channel = request.terms?.channel ?? .api
    app = request.terms?.app
    status = request.status
    assignee = request.assignee
    updatedAt = request.updatedAt
    service = request.terms?.transcript?.service
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.requester, ifPresent: requester)
    writer.put(Field.channel, channel)
    writer.put(Field.app, ifPresent: app)
    writer.put(Field.status, status)
    writer.put(Field.assignee, ifPresent: assignee)
    writer.put(Field.updatedAt, updatedAt)
    writer.put(Field.service, ifPresent: service)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    requester = try read[Field.requester]
    channel = try read[Field.channel] ?? .api
    app = try read[Field.app]
    status = try read[Field.status] ?? .new
    assignee = try read[Field.assignee]
    updatedAt = try read[Field.updatedAt] ?? .epoch
    service = try read[Field.service]
  }
}
