package import ConsolePages
package import HTTPKit
import HTTPTypes
import Hummingbird

/// The pages of the console. They are no part of the API, and so not of its description.
///
/// | | |
/// |---|---|
/// | `GET /` | leads there |
/// | `GET /console` | leads to the path with a slash, to which the URLs in the first page are relative |
/// | `GET /console/` | the first page; asked for again each time |
/// | `GET /console/{hash}/…` | everything else; kept for ever, since other contents have another hash |
/// | `GET /console/demo-app` | a customer's phone, where `carillon demo --serve` has it shown |
package struct ConsolePageRoutes: Sendable {
  let pages: ConsolePages
  let path: String
  let hasDemoApp: Bool

  package init(_ settings: ConsoleSettings, pages: ConsolePages = .embedded) {
    self.pages = pages
    path = settings.path
    hasDemoApp = settings.hasDemoApp
  }

  package func add(to router: EdgeRoutes) {
    let page: EdgeRoute = { request, _ in try answer(request) }
    router.resource("/", [.get: { _, _ in Self.redirection(.found, to: path + "/") }])
    router.resource(RouterPath(path), [.get: page])
    router.resource(RouterPath(path + "/**"), [.get: page])
  }

  func answer(_ request: Request) throws(EdgeFailure) -> Response {
    try request.refuseTokenInURL()
    let asked = request.uri.path
    guard asked != path else { return Self.redirection(.permanentRedirect, to: path + "/") }
    guard asked.hasPrefix(path + "/") else { throw .notFound }
    let name = asked.dropFirst(path.count + 1)
    if name.isEmpty { return answer(pages.index, request, cacheControl: "no-cache") }
    if hasDemoApp, name == DemoPhone.path, let phone = pages.demoIndex {
      return answer(phone, request, cacheControl: "no-cache")
    }
    guard let page = pages.page(at: name, withDemo: hasDemoApp) else { throw .notFound }
    return answer(page, request, cacheControl: "public, max-age=31536000, immutable")
  }

  private func answer(_ page: ConsolePages.Page, _ request: Request, cacheControl: String) -> Response {
    let tag = "\"\(pages.hash)\""
    let headers: HTTPFields = [.eTag: tag, .cacheControl: cacheControl]
    if let known = request.headers[.ifNoneMatch], EntityTag.names(tag, known) {
      return Response(status: .notModified, headers: headers)
    }
    return Response(
      status: .ok, headers: headers + [.contentType: page.type],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: page.bytes)))
  }

  private static func redirection(_ status: HTTPResponse.Status, to path: String) -> Response {
    Response(status: status, headers: [.location: path, .cacheControl: "no-cache"])
  }
}
