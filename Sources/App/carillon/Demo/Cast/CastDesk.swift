import CarillonClient
import JSONEnvelope
import TextEncoding

/// What a sample customer does beside chats: orders a callback, asks for help by a support request.
actor CastDesk {
  static let callbackService = "callback-phone"
  static let app = "demo-shop"

  private let member: CastMember
  private let pool: HTTPPool
  private let support: SupportClient
  private var callback: String?
  private var request: Int64?
  /// Agents' comments that were seen.
  private var seen = 0
  private var nextPoll = 0

  init(_ member: CastMember, _ server: ServerAddress) {
    self.member = member
    pool = HTTPPool(server)
    support = SupportClient(SupportConfiguration(server: server, app: Self.app))
  }

  nonisolated func shutDown() {
    pool.shutDown()
    Task { await support.shutDown() }
  }

  // MARK: Callbacks. Spec: GMS 9.1.

  /// - Returns: whether one is waited for now.
  func orderCallback(_ subject: String) async -> Bool {
    let order: JSONValue = [
      "_customer_number": .string(member.telephone), "subject": .string(subject), "firstName": .string(member.name),
      "_language": .string(member.language.rawValue),
    ]
    callback = await call(.post, "/genesys/1/service/callback/\(Self.callbackService)", order.text)?["_id"]?.string
    return callback != nil
  }

  /// They have waited long enough; of one that is over nobody needs to be told.
  /// - Returns: whether there was one.
  func cancelCallback() async -> Bool {
    guard let id = callback else { return false }
    callback = nil
    _ = await call(.delete, "/genesys/1/service/callback/\(Self.callbackService)/\(PercentEncoding.encode(id))")
    return true
  }

  private func call(_ method: HTTPRequest.Method, _ path: String, _ body: [UInt8] = []) async -> JSONValue? {
    let request = HTTPRequest(
      method, path, headers: [(name: "gms_user", value: member.userKey)],
      contentType: body.isEmpty ? nil : "application/json", body: body)
    guard let response = try? await pool.response(to: request), response.status == 200 else { return nil }
    return try? JSONValue(parsing: response.bodyBytes)
  }

  // MARK: Support requests

  func open(_ errand: CastWords.Errand) async {
    do {
      try await support.signIn(guid: member.guid, name: member.name, email: member.email)
      if member.push == .good {
        try await support.registerDevice(member.deviceID, type: .android, locale: member.language.rawValue)
      }
      request = try await support.create(subject: errand.subject, text: errand.question).id
    } catch {
      // Then they ask nobody.
      return
    }
  }

  func comment(_ text: String) async {
    guard let request else { return }
    _ = try? await support.comment(text, on: request)
  }

  /// What an agent has written since the last time; asks now and then.
  func answer(at now: Int) async -> String? {
    guard let request, now >= nextPoll else { return nil }
    nextPoll = now + CastLimits.requestPoll
    guard let comments = try? await support.comments(of: request, agentsOnly: true), comments.count > seen else {
      return nil
    }
    seen = comments.count
    return comments.last?.text
  }
}
