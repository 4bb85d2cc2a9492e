import HTTPTypes
import Testing

@testable import HTTPKit

@Suite("The names of routes")
struct RouteTableTests {
  private static func operation(_ method: HTTPRequest.Method, _ path: String, rest: Bool = false) -> APIOperation {
    APIOperation(
      method, path, path, "", access: .open,
      parameters: rest
        ? [APIParameter(place: .path, member: .required("rest", .text), takesRest: true)] : [], answers: [])
  }

  private static let table = RouteTable(
    [
      operation(.get, "/chats"), operation(.post, "/chats"), operation(.get, "/chats/{chat}"),
      operation(.post, "/chats/{chat}/close"), operation(.get, "/chats/search"),
      operation(.get, "/chats/search/{word}"),
      operation(.get, "/files/{rest}", rest: true), operation(.post, "/comet"), operation(.get, "/"),
    ], below: ["/comet"], pages: ["/pages"], format: ".json")

  @Test(
    "are the templates of paths, and nothing of what stands in them",
    arguments: [
      ("GET", "/chats", "/chats"), ("HEAD", "/chats", "/chats"), ("POST", "/chats?user=secret", "/chats"),
      ("GET", "/chats/4711", "/chats/{chat}"), ("GET", "/chats/search", "/chats/search"),
      ("POST", "/chats/4711/close", "/chats/{chat}/close"), ("GET", "/chats/search/a%2Fb", "/chats/search/{word}"),
      // What is named comes first, and leaves the others their turn.
      ("POST", "/chats/search/close", "/chats/{chat}/close"),
      ("GET", "/chats.json", "/chats"), ("POST", "/chats/1/close.json?x", "/chats/{chat}/close"),
      ("GET", "/files/a/b/c", "/files/{rest}"), ("POST", "/comet", "/comet"), ("POST", "/comet/connect", "/comet"),
      ("GET", "/pages", "/pages/**"), ("GET", "/pages/a/b.js", "/pages/**"), ("GET", "/", "/"), ("GET", "/?a/b", "/"),
    ])
  func templates(method: String, target: String, template: String) {
    let route = Self.table.route(method, target)
    #expect(Self.table.names[Int(route.number)].template == template)
  }

  @Test(
    "are one name for all that is not known",
    arguments: [
      ("DELETE", "/chats"), ("BREW", "/chats"), ("GET", "/chats/1/close"), ("GET", "/secret"), ("GET", "/chats.xml"),
      ("GET", "/chats/1/2/3"), ("POST", "/pages/a"), ("GET", "*"), ("GET", ""), ("GET", "/chat"), ("GET", "/chatsx"),
      ("POST", "/files/a"), ("GET", "/files"),
    ])
  func unknown(method: String, target: String) { #expect(Self.table.route(method, target) == .other) }

  @Test("are as many as there are operations, and one")
  func count() {
    #expect(Self.table.names.count == 11)
    #expect(Set(Self.table.names.map { "\($0.method) \($0.template)" }).count == 11)
  }
}
