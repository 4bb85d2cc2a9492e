import HTTPTypes
import Hummingbird

/// What a scrape is answered with.
package struct MetricsExposition: Sendable {
  /// - Parameter accept: the values of the request's `Accept`: the forms that the scraper reads.
  package typealias Source = @Sendable (_ accept: [String]) -> MetricsExposition

  let contentType: String
  let text: String

  package init(contentType: String, text: String) {
    self.contentType = contentType
    self.text = text
  }

  /// As an answer that no cache keeps, and that is another one for other scrapers.
  var response: Response {
    Response(
      status: .ok, headers: [.contentType: contentType, .cacheControl: "no-cache", .vary: "Accept"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }
}
