import ConsoleAPI
import EdgeSecurity
import Engine
import EventSourcing
import HTTPTypes
import Hummingbird
import JSONEnvelope
import Logging
import Testing

@testable import HTTPEdge

@Suite("The description of all routes", .timeLimit(.minutes(5)))
struct OpenAPITests {
  /// A method of a path.
  private struct Operation: Hashable, CustomStringConvertible {
    let method: String
    let path: String
    var description: String { "\(method) \(path)" }
  }

  private static let methods = [HTTPRequest.Method.get, .post, .put, .patch, .delete]

  /// What is answered before the router is asked, each with a path that names no other resource.
  private static let pastTheRouter = [
    "/gcm/send", "/fcm/send", "/v1/projects/{project}/messages:send", "/genesys/cometd", "/device/1/socket",
    "/agent/1/socket",
  ]

  private func described() throws -> Set<Operation> {
    let paths = try #require(APIDocument.carillon.json(version: "0")["paths"]?.object)
    return Set(
      paths.members.flatMap { path in
        (path.value.object?.names ?? []).map { Operation(method: $0.uppercased(), path: path.name) }
      })
  }

  @Test("every route is described, with its methods, and nothing else is")
  func completeness() async throws {
    try await ServerHarness.run { server in
      let served = try await served(by: server).union(servedPastTheRouter(by: server))
      let described = try described()
      #expect(served.subtracting(described).isEmpty, "served, but not described")
      #expect(described.subtracting(served).isEmpty, "described, but not served")
    }
  }

  /// A method that a path does not have is answered with 405, whatever else the request says.
  private func served(by server: ServerHarness) async -> Set<Operation> {
    let router = EdgeRouter(
      engine: server.engine, tokens: server.tokens, limits: EdgeLimits(), messaging: MessagingEdgeSettings(),
      provesUsers: false, verifyIdentity: EdgeConfiguration.verifiesNobody,
      guesses: GuessGuard(server.engine.security, StrangerBudgets()),
      configuration: ConfigurationInForce(),
      recorder: OverviewRecorder(engine: server.engine, metrics: HTTPMetrics(surfaces: [])), version: "0",
      exposition: { _ in MetricsExposition(contentType: "text/plain", text: "") },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      openID: OpenIDSignIn(limits: OpenIDLimits(), security: server.engine.security, now: { .epoch }) {
        server.engine.options.current
      }
    ).router()
    let responder = router.buildResponder()
    var operations: Set<Operation> = []
    for path in Set(router.routes.map(\.path.description)) {
      for method in Self.methods where await Self.takes(method, path, responder) {
        operations.insert(Operation(method: method.rawValue, path: Self.inBraces(path)))
      }
    }
    return operations
  }

  private static func takes(
    _ method: HTTPRequest.Method, _ path: String, _ responder: RouterResponder<EdgeRequestContext>
  ) async -> Bool {
    let request = Request(
      head: HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path.replacing("/:", with: "/x")),
      body: RequestBody(buffer: ByteBuffer()))
    let source = EdgeRequestSource(
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, isTLS: false, localPort: 0, clientAddress: nil,
      sharer: nil)
    do {
      return try await responder.respond(to: request, context: EdgeRequestContext(source: source)).status
        != .methodNotAllowed
    } catch {
      return (error as? EdgeFailure)?.status != .methodNotAllowed
    }
  }

  /// The router's parameters as a description has them.
  private static func inBraces(_ path: String) -> String {
    let rest = APIDocument.carillon.operations.first { $0.routerPath == path && $0.routerPath != $0.path }
    return path.split(separator: "/").map { part in
      // What takes the rest of a path has no name in the router.
      if part == "**" { return "/{\(rest?.parameters.last { $0.takesRest }?.member.name ?? "?")}" }
      return "/" + (part.hasPrefix(":") ? "{\(part.dropFirst())}" : "\(part)")
    }.joined()
  }

  /// Asked of the running server: the answer to a method that none of them has names those that there are.
  private func servedPastTheRouter(by server: ServerHarness) async throws -> Set<Operation> {
    var operations: Set<Operation> = []
    for path in Self.pastTheRouter {
      let client = try await server.connect()
      try await client.write(
        "DELETE \(path.replacing("{project}", with: "p")) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      let response = try await client.response()
      #expect(response.status == 405, "\(path)")
      let methods = try #require(response.header("Allow")).split(separator: ", ").filter { $0 != "OPTIONS" }
      for method in methods { operations.insert(Operation(method: String(method), path: path)) }
      await client.close()
    }
    return operations
  }

  @Test("each parameter of a path is described, and none that is not there")
  func parameters() throws {
    for operation in APIDocument.carillon.operations {
      let inPath = operation.path.split(separator: "/").compactMap { part -> String? in
        guard part.hasPrefix("{"), let end = part.firstIndex(of: "}") else { return nil }
        return String(part[part.index(after: part.startIndex)..<end])
      }
      let described = operation.parameters.filter { $0.place == .path }.map(\.member.name)
      #expect(described.sorted() == inPath.sorted(), "\(operation.id)")
    }
  }

  @Test("names are unique, and each one that is used exists")
  func names() throws {
    let document = APIDocument.carillon
    let ids = document.operations.map(\.id)
    #expect(Set(ids).count == ids.count)
    let schemas = document.surfaces.flatMap(\.schemas).map(\.name)
    #expect(Set(schemas).count == schemas.count)
    #expect(Set(document.surfaces.map(\.name)).count == document.surfaces.count)
    for link in document.operations.flatMap(\.answers).flatMap(\.links) {
      let target = try #require(document.operations.first { $0.id == link.operation }, "\(link.operation)")
      #expect(target.parameters.contains { $0.member.name == link.parameter }, "\(link.operation)")
    }
    let references = Self.references(in: document.json(version: "0"))
    #expect(!references.isEmpty)
    for reference in references {
      let target = reference.split(separator: "/").dropFirst().reduce(document.json(version: "0") as JSONValue?) {
        $0?[String($1)]
      }
      #expect(target != nil, "\(reference)")
    }
  }

  private static func references(in value: JSONValue) -> Set<String> {
    switch value {
    case .array(let elements): elements.reduce(into: []) { $0.formUnion(references(in: $1)) }
    case .object(let object):
      object.members.reduce(into: []) { found, member in
        if member.name == "$ref", let reference = member.value.string { found.insert(reference) }
        found.formUnion(references(in: member.value))
      }
    default: []
    }
  }

  @Test("every event that is posted is described, with its tag")
  func webhooks() throws {
    let webhooks = try #require(APIDocument.carillon.json(version: "0")["webhooks"]?.object)
    #expect(
      webhooks.names == [
        "chat.newagentmessage", "callback.get-dialog-user-confirmation", "callback.get-dialog-start-chat",
        "callback.connect-inbound", "callback.connect-outbound", "operator.test", "support.comment",
        "support.request.created", "support.request.commented", "support.request.updated", "endpoint.disabled",
        "device.ended", "message.exhausted",
      ])
    #expect(webhooks.names == PostedEvent.all.map(\.name))
    for event in PostedEvent.all {
      let headers = webhooks[event.name]?["post"]?["parameters"]?.array ?? []
      let tag = headers.first { $0["name"] == "carillon-event" }
      #expect(tag?["schema"]?["enum"] == [.string(event.tag)])
    }
  }

  @Test("it is served as JSON, and not again to whoever has it")
  func served() async throws {
    try await ServerHarness.run { server in
      let client = try await server.connect()
      try await client.get("/openapi.json")
      let response = try await client.response()
      #expect(response.status == 200)
      #expect(response.header("Content-Type") == "application/json")
      let document = try JSONValue(parsing: response.body)
      #expect(document["openapi"] == "3.1.0")
      #expect(document == APIDocument.carillon.json(version: "0"))
      let tag = try #require(response.header("ETag"))
      try await client.get("/openapi.json", headers: "If-None-Match: \(tag)\r\n")
      let second = try await client.response(withoutBody: true)
      #expect(second.status == 304)
      #expect(second.header("ETag") == tag)
      // Compressed it has a weak one.
      try await client.get("/openapi.json", headers: "Accept-Encoding: gzip\r\n")
      #expect(try await client.response().header("ETag") == "W/" + tag)
      try await client.get("/openapi.json", headers: "If-None-Match: W/\(tag)\r\n")
      #expect(try await client.response(withoutBody: true).status == 304)
      try await client.get("/openapi.json", headers: "If-None-Match: \"another\"\r\n")
      #expect(try await client.response().status == 200)
    }
  }
}
