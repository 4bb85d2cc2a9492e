import Engine
import HTTPTypes
import Hummingbird
import JSONEnvelope
import Logging

extension EdgeFailure {
  /// What a route has thrown. Only the unexpected is logged, and of that only the type: a text may hold a message.
  init(describing error: any Error, logger: Logger) {
    switch error {
    case let failure as EdgeFailure: self = failure
    case let error as EngineError: self.init(error)
    case let error as RedactionError: self.init(error)
    case let failure as InstallationFailure: self.init(failure)
    case let failure as StorageFailure: self.init(failure)
    case let failure as SupportFailure: self.init(failure)
    case let failure as SupportIdentityFailure: self.init(failure)
    case let failure as ParameterFailure: self.init(failure)
    case is CancellationError: self = .unavailable("The request was given up")
    default:
      logger.error("a route failed", metadata: ["type": "\(type(of: error))"])
      self = .unexpected
    }
  }

  func response(for surface: Surface) -> Response { .json(body(for: surface), status: status, adding: fields) }
}

extension Response {
  /// A JSON answer as the customer and agent surfaces give it. Spec: GMS 2.2.
  static func json(_ body: [UInt8], status: HTTPResponse.Status = .ok, adding fields: HTTPFields = [:]) -> Response {
    var headers: HTTPFields = [
      .contentType: "application/json;charset=UTF-8", .cacheControl: "no-cache, no-store", .pragma: "no-cache",
    ]
    headers.append(contentsOf: fields)
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }

  static func json(adding fields: HTTPFields = [:], _ write: (inout JSONWriter) -> Void) -> Response {
    var writer = JSONWriter(capacity: 512)
    write(&writer)
    return json(writer.bytes, adding: fields)
  }
}

extension HTTPField.Name {
  static let pragma = HTTPField.Name("Pragma")!
}

/// Puts our own error object in the place of the router's.
struct FailureMiddleware: RouterMiddleware {
  func handle(
    _ request: Request, context: EdgeRequestContext, next: (Request, EdgeRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as any HTTPResponseError {
      throw error.status == .notFound
        ? EdgeFailure.notFound
        : EdgeFailure(
          error.status, error.status.reasonPhrase, exception: "HTTPException")
    }
  }
}
