import Engine
import HTTPTypes
import NIOCore
import NIOHTTP1
import ServerKit
import StorageAPI
import SupportAPI

/// From a head to the part of the server that answers.
extension HTTPConnectionHandler {
  /// Looks at the head, and refuses at once what can be refused by it.
  func judge(_ received: HTTPRequestHead) {
    let survey = HeadSurvey(received)
    var head = received
    if let target = HeadSurvey.originForm(received.uri) { head.uri = target }
    surface = Surface(target: head.uri)
    target = head.uri
    clientAddress = services.configuration.proxies.client(head.headers, peer: peer)
    origin = surface.isForCustomers ? head.headers.first(name: "origin") : nil
    if let given = origin, !services.configuration.allowedOrigins.allows(given) { origin = nil }
    (showsCredential, showsPassword) = (survey.showsCredential, survey.showsPassword)
    if let refusal = survey.refusal { return refuse(refusal) }
    guard head.uri.utf8.count <= limits.targetBytesMaximum else {
      return refuse(EdgeFailure(.uriTooLong, "The request target is too long", exception: "RequestTargetException"))
    }
    let limit = bodyBytesMaximum(of: head)
    guard !machine.announcesMore(than: limit) else { return refuse(.bodyTooLarge(limit: limit)) }
    let refusal = guessing() ?? refusal(of: head) ?? overspending(head)
    incoming = (head, refusal)
    tell(
      .judged(
        HTTPHeadVerdict(
          bodyBytesMaximum: limit, isRefused: refusal != nil, now: residents.milliseconds, bytesRead: meter.bytesRead)))
  }

  private func bodyBytesMaximum(of head: HTTPRequestHead) -> Int {
    if surface == .comet { return limits.cometBodyBytesMaximum }
    let takesFiles =
      switch surface {
      case .service: StorageTarget.takesFiles(head.uri)
      case .support: SupportTarget.takesFiles(head.uri)
      default: false
      }
    return takesFiles ? limits.storageBodyBytesMaximum : limits.bodyBytesMaximum
  }

  /// The request has been read whole.
  func serve(_ body: ByteBuffer?) {
    guard let (head, refusal) = incoming else { return }
    incoming = nil
    if let refusal { return respond(refusal) }
    let request = RequestInProgress(head: head, body: body)
    if request.head.method == .OPTIONS {
      respondToPreflight()
    } else if let refusal = overspending(request) {
      respond(refusal)
    } else if surface == .comet {
      if request.head.method == .POST {
        poll(request)
      } else {
        upgrade(request.head)
      }
    } else if request.head.uri == Self.deviceSocketPath {
      upgradeDevice(request.head)
    } else if let route = SendRoute(target: request.head.uri) {
      send(request, route)
    } else {
      route(request)
    }
  }

  private func refusal(of head: HTTPRequestHead) -> EdgeFailure? {
    switch head.method {
    // What HTTP itself knows is not unknown here either: each path says what it takes.
    case .GET, .HEAD, .POST, .PUT, .PATCH, .DELETE, .TRACE: break
    case .OPTIONS: return nil
    default:
      return EdgeFailure(.notImplemented, "Unknown method \(head.method.rawValue)", exception: "MethodException")
    }
    // What is not replayed yet must not look unknown.
    let isServing = services.engine.isReady && !residents.isStopping
    guard surface == .comet else {
      return surface != .operation && !isServing ? .unavailable("The server is not ready") : nil
    }
    guard services.opensServer(head.headers.first(name: "authorization")) else {
      return .basicAuthenticationRequired
    }
    switch head.method {
    case .POST: break
    case .GET where WebSocketHandshake.isWanted(head): break
    case .GET: return .malformed("A GET of this resource needs a WebSocket handshake")
    default: return .methodNotAllowed(allow: "POST, GET, OPTIONS")
    }
    return isServing ? nil : .unavailable("The server is not ready")
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
        Access-Control-Allow-Methods: GET, POST, PUT, DELETE, OPTIONS\r
        Access-Control-Max-Age: 600\r
        Access-Control-Allow-Headers: gms_user, content-type, authorization, x-requested-with, client-identifier
        """)
      if let header = services.identity.ownHeader { buffer.writeString(", \(header)") }
      buffer.writeStaticString("\r\n")
    }
    ResponseSerializer.finishHead(.none, closing: machine.closesAfterResponse, services.securityFields, into: &buffer)
    write(buffer, status: 204)
  }
}
