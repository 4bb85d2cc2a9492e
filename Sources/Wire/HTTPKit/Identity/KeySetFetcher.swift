/// Reads a key set from its URL: no redirect, no more than a key set can be long, and not for long.
package struct KeySetFetcher: Sendable {
  package struct Answer: Sendable {
    package let body: [UInt8]
    /// What clock the other side has (Date).
    package let date: String?
  }

  package let url: String
  package let trustRootsFile: String?

  package func fetch() async throws(KeyReader.Problem) -> Answer {
    let request = BoundedRequest(
      url: url, trustRootsFile: trustRootsFile, bytesMaximum: EdgeLimits.keySetBytesMaximum,
      timeout: EdgeLimits.keySetTimeout)
    let answer: BoundedRequest.Answer
    do { answer = try await request.answer() } catch {
      throw KeyReader.Problem(error.words(bytesMaximum: request.bytesMaximum))
    }
    guard answer.status == 200 else { throw KeyReader.Problem("its URL answers \(answer.status)") }
    return Answer(body: answer.body, date: answer.date)
  }
}
