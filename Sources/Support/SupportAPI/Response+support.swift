import EngineKit
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import SupportEngine

extension Response {
  /// What can be asked for again at little cost: with a strong tag, and nothing but that tag if the client has it.
  /// Spec: support requests 6.2.
  static func conditional(_ request: Request, _ members: (inout JSONObjectWriter) -> Void) -> Response {
    let text = JSONWriter.object(capacity: 1_024, members)
    let tag = EntityTag.of(text)
    let headers: HTTPFields = [.eTag: tag, .cacheControl: "private, no-cache"]
    if request.headers[.ifNoneMatch].map({ EntityTag.names(tag, $0) }) == true {
      return Response(status: .notModified, headers: headers)
    }
    return Response(
      status: .ok, headers: headers + [.contentType: "application/json;charset=UTF-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
  }
}

/// Which part of a list is asked for: `page` and `per_page`. Spec: support requests 8.
struct SupportPage: Equatable {
  let number: Int
  let size: Int

  init(_ parameters: RequestParameters) throws(SupportFailure) {
    number = try Self.read("page", parameters) ?? 1
    size = min(try Self.read("per_page", parameters) ?? EdgeLimits.supportPageMaximum, EdgeLimits.supportPageMaximum)
  }

  private static func read(_ name: String, _ parameters: RequestParameters) throws(SupportFailure) -> Int? {
    guard let text = parameters[name] else { return nil }
    guard let number = Int(text), (1...Int(Int32.max)).contains(number) else {
      throw .invalid(field: name, reason: "is not a number from 1 on")
    }
    return number
  }

  /// What is on this page.
  func slice<Element>(of all: [Element]) -> ArraySlice<Element> { all.dropFirst((number - 1) * size).prefix(size) }

  /// How many there are in all, and where the pages before and behind are. - Parameter url: of the list.
  func write(count: Int, url: String, _ parameters: RequestParameters, into list: inout JSONObjectWriter) {
    list.member("count", count)
    list.member("next_page", number * size < count ? place(of: number + 1, url, parameters) : nil)
    list.member("previous_page", number > 1 ? place(of: number - 1, url, parameters) : nil)
  }

  private func place(of page: Int, _ url: String, _ parameters: RequestParameters) -> String {
    let others = parameters.pairs.filter { $0.name != "page" }.map { (PathText.encode($0.name), $0.value) }
    let query = (others + [("page", "\(page)")]).map { "\($0.0)=\(PathText.encode($0.1))" }
    return "\(url)?\(query.joined(separator: "&"))"
  }
}

extension RequestParameters {
  /// The elements of a list with commas between.
  func list(_ name: String) -> [String] { self[name].map(Options.list) ?? [] }

  /// What is asked for beside the thing itself; what nobody knows is nothing.
  var includes: Set<String> { Set(list("include")) }
}

extension Request {
  /// Where this resource is found: without the query string.
  func url(base: String) -> String { base + uri.path + SupportTarget.format }
}
