import JSONEnvelope
import TextEncoding

/// An app's side of support requests. Spec: support requests 2, 3, 8.
///
/// ```swift
/// let support = SupportClient(SupportConfiguration(server: address, app: "shop-ios"))
/// try await support.signIn(guid: guid, name: "Ann", email: "ann@example.com")
/// try await support.registerDevice(token, type: .ios, locale: "en-us")
/// let request = try await support.create(subject: "Order 81", text: "It has not come.")
/// for comment in try await support.comments(of: request.id) { print(comment.text) }
/// ```
public actor SupportClient {
  public enum DeviceType: String, Sendable { case ios, android }

  public nonisolated let configuration: SupportConfiguration
  /// Nil before `signIn`. To be kept: it stays good until the identity changes.
  public private(set) var accessToken: String?
  private let pool: ServerPool

  /// - Parameter accessToken: of an earlier `signIn`.
  public init(_ configuration: SupportConfiguration, accessToken: String? = nil) {
    self.configuration = configuration
    self.accessToken = accessToken
    pool = ServerPool(
      ServerList(configuration.server, alternatives: configuration.alternatives), group: configuration.group,
      security: configuration.security)
  }

  deinit { pool.shutDown() }

  // MARK: Identity

  /// - Parameter guid: a UUID that the app has made on this device, and keeps.
  public func signIn(
    guid: String, name: String? = nil, email: String? = nil
  ) async throws(ClientError) {
    try await signIn("anonymous", ["sdk_guid": guid, "name": name, "email": email])
  }

  /// - Parameter userToken: what the app's own back end knows its user by.
  public func signIn(userToken: String) async throws(ClientError) { try await signIn("jwt", ["token": userToken]) }

  private func signIn(_ kind: String, _ user: [String: String?]) async throws(ClientError) {
    accessToken = nil
    let answer = try await call(.post, "/access/sdk/\(kind)", ["user": Self.object(user)])
    guard let token = answer["authentication"]?["access_token"]?.string else {
      throw .malformedResponse("no access token")
    }
    accessToken = token
  }

  // MARK: Devices

  /// Registers a push token; harmless if it is registered already.
  /// - Returns: the identifier as the server writes it.
  @discardableResult
  public func registerDevice(
    _ identifier: String, type: DeviceType, locale: String = "en"
  ) async throws(ClientError) -> String {
    let answer = try await call(
      .post, "/api/mobile/push_notification_devices.json",
      [
        "push_notification_device": [
          "identifier": .string(identifier), "device_type": .string(type.rawValue), "locale": .string(locale),
        ]
      ])
    guard let registered = answer["push_notification_device"]?["identifier"]?.string else {
      throw .malformedResponse("no identifier")
    }
    return registered
  }

  /// From here on nothing more is sent to it.
  public func unregisterDevice(_ identifier: String) async throws(ClientError) {
    _ = try await call(.delete, "/api/mobile/push_notification_devices/\(PercentEncoding.encode(identifier)).json")
  }

  // MARK: Requests

  public func create(subject: String, text: String) async throws(ClientError) -> SupportTicket {
    try SupportTicket(
      try await call(
        .post, "/api/mobile/requests.json",
        ["request": ["subject": .string(subject), "comment": ["body": .string(text)]]])["request"])
  }

  /// One's own, newest first.
  public func requests() async throws(ClientError) -> [SupportTicket] {
    var requests: [SupportTicket] = []
    for element in try await call(.get, "/api/mobile/requests.json")["requests"]?.array ?? [] {
      requests.append(try SupportTicket(element))
    }
    return requests
  }

  public func request(_ id: Int64) async throws(ClientError) -> SupportTicket {
    try SupportTicket(try await call(.get, "/api/mobile/requests/\(id).json")["request"])
  }

  /// - Returns: the request as it is then.
  @discardableResult
  public func comment(_ text: String, on id: Int64) async throws(ClientError) -> SupportTicket {
    try SupportTicket(
      try await call(
        .put, "/api/mobile/requests/\(id).json", ["request": ["comment": ["body": .string(text)]]])["request"])
  }

  /// Oldest first.
  /// - Parameters:
  ///   - since: those made after this moment, as ISO 8601: the `createdAt` of a comment.
  ///   - agentsOnly: without one's own.
  public func comments(
    of id: Int64, since: String? = nil, agentsOnly: Bool = false
  ) async throws(ClientError) -> [SupportTicketComment] {
    var query: [(name: String, value: String)] = []
    if let since { query.append(("since", since)) }
    if agentsOnly { query.append(("role", "agent")) }
    let suffix = query.isEmpty ? "" : "?" + String(decoding: formEncoded(query), as: UTF8.self)
    var comments: [SupportTicketComment] = []
    for element in try await call(.get, "/api/mobile/requests/\(id)/comments.json\(suffix)")["comments"]?.array ?? [] {
      comments.append(try SupportTicketComment(element))
    }
    return comments
  }

  // MARK: Live events

  /// Opens a stream of live events; returns once the server has confirmed it, so that no later comment is missed.
  /// - Parameter request: the one that is followed; nil for all of one's own.
  public func stream(of request: Int64? = nil) async throws(ClientError) -> SupportStream {
    guard let accessToken else { throw .invalidState("no identity: sign in first") }
    let stream = SupportStream(configuration, accessToken: accessToken, request: request, pool: pool)
    try await stream.open()
    return stream
  }

  /// Closes the connections; requests under way fail with `ClientError.stopped`.
  public func shutDown() { pool.shutDown() }

  // MARK: The wire

  private func call(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil
  ) async throws(ClientError) -> JSONValue {
    var headers = [(name: "Client-Identifier", value: configuration.app)]
    if let accessToken { headers.append((name: "Authorization", value: "Bearer \(accessToken)")) }
    let bytes = body?.text ?? []
    configuration.trace?(WireTrace(direction: .sent, summary: "\(method.rawValue) \(path)", body: bytes))
    let response = try await pool.response(
      to: HTTPRequest(
        method, path, headers: headers, contentType: body == nil ? nil : "application/json", body: bytes),
      timeout: configuration.requestTimeout)
    let answer = response.bodyBytes
    configuration.trace?(WireTrace(direction: .received, summary: String(response.status), body: answer))
    guard (200..<300).contains(response.status) else {
      throw .refused(status: response.status, message: errorMessage(in: answer))
    }
    guard !answer.isEmpty else { return .null }
    do { return try JSONValue(parsing: answer) } catch { throw .malformedResponse("\(error)") }
  }

  /// Without the members that are nil.
  private static func object(_ members: [String: String?]) -> JSONValue {
    var object = JSONObject()
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      if let value { object[name] = .string(value) }
    }
    return .object(object)
  }
}
