import HTTPTypes
import NIOCore
package import NIOHTTP1
import ServerKit

/// From a head to whoever answers.
extension HTTPConnectionHandler {
  /// Looks at the head, and refuses at once what can be refused by it.
  func judge(_ received: HTTPRequestHead) {
    let survey = HeadSurvey(received)
    var head = received
    if let target = HeadSurvey.originForm(received.uri) { head.uri = target }
    if let target = HeadSurvey.withoutEmptySegments(head.uri) { head.uri = target }
    let limit: Int
    (surface, limit) = site.surface(of: head.uri)
    target = head.uri
    goesOnDuringStop(site.goesOnDuringStop(head.uri))
    clientAddress = services.settings.proxies.client(head.headers, peer: peer)
    origin = head.headers.first(name: "origin")
    if let given = origin, !services.settings.origins(on: surface).allows(given) { origin = nil }
    (showsCredential, showsPassword) = (survey.showsCredential, survey.showsPassword)
    isPacked = survey.coding == .gzip
    mayShowSession = survey.showsCookie && !survey.showsCredential
    watch(head)
    if let refusal = survey.refusal { return refuse(refusal) }
    guard head.uri.utf8.count <= services.limits.targetBytesMaximum else {
      return refuse(EdgeFailure(.uriTooLong, "The request target is too long", exception: "RequestTargetException"))
    }
    guard !machine.announcesMore(than: limit) else { return refuse(.bodyTooLarge(limit: limit)) }
    if stream != nil { services.metrics.countHTTP2Request() }
    let refusal = stream?.judgement.refusal ?? guessing() ?? refusal(of: head) ?? refusalOfCoding(survey.coding, target)
    incoming = (head, HTTPJudgement(refusal))
    tell(
      .judged(
        HTTPHeadVerdict(
          bodyBytesMaximum: limit, isRefused: refusal != nil, now: residents.milliseconds, bytesRead: parser.bytesRead))
    )
  }

  private func refusal(of head: HTTPRequestHead) -> EdgeFailure? {
    switch head.method {
    // What HTTP itself knows is not unknown here either: each path says what it takes.
    case .GET, .HEAD, .POST, .PUT, .PATCH, .DELETE, .TRACE: site.refusal(of: head, on: self)
    case .OPTIONS: nil
    default: EdgeFailure(.notImplemented, "Unknown method \(head.method.rawValue)", exception: "MethodException")
    }
  }

  /// The request has been read whole.
  func serve(_ body: ByteBuffer?) {
    guard let (head, judgement) = incoming else { return }
    incoming = nil
    if case .refused(let failure) = judgement { return respond(failure) }
    guard head.method != .OPTIONS else { return respondToPreflight() }
    if isPacked, let body { return unpack(head, body) }
    site.serve(RequestInProgress(head: head, body: body), on: self)
  }

  /// Whose the request is.
  /// - Parameter inBand: a token that stands in a message.
  package func caller(_ head: HTTPRequestHead, inBand: String? = nil) throws(EdgeFailure) -> Caller {
    try services.identity.caller(head.headers, inBand: inBand, peer: peer, address: clientAddress)
  }

  /// Everything that a browser asks before it lets a page of another origin send the real request. Spec: GMS 2.2.
  private func respondToPreflight() {
    var buffer = responseBuffer(capacity: 512)
    ResponseSerializer.statusLine(.noContent, into: &buffer)
    buffer.writeStaticString("Allow: GET, POST, PUT, DELETE, OPTIONS\r\n")
    writeCrossOriginFields(into: &buffer)
    if origin != nil {
      buffer.writeStaticString(
        """
        Access-Control-Allow-Methods: GET, POST, PUT, PATCH, DELETE, OPTIONS\r
        Access-Control-Max-Age: 600\r
        Access-Control-Allow-Headers: gms_user, content-type, authorization, x-requested-with, client-identifier
        """)
      if surface.isForStaff { buffer.writeStaticString(", last-event-id") }
      if let header = services.identity.ownHeader { buffer.writeString(", \(header)") }
      buffer.writeStaticString("\r\n")
    }
    finishHead(.none, into: &buffer)
    write(buffer, status: 204)
  }
}
