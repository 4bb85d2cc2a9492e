import Engine
import Hummingbird
import JSONEnvelope

/// What operators and orchestrators ask: is it alive, is it ready, what does it count, what can it be asked.
struct OperationRoutes {
  let engine: Engine
  /// Nil where the metrics have a port of their own.
  let exposition: MetricsExposition.Source?
  let document: ServedDocument

  static var live: Response { status("live") }

  func ready() throws -> Response {
    guard engine.isReady else { throw EdgeFailure.unavailable("The server is not ready") }
    // Reads and held polls go on, but nothing can be changed: whoever sends work here is to know.
    guard !engine.isStorageFull else { throw EdgeFailure(EngineError.storageFull) }
    return Self.status("ready")
  }

  func metrics(_ request: Request) throws(EdgeFailure) -> Response {
    guard let exposition else { throw .notFound }
    return exposition(request.headers[values: .accept]).response
  }

  private static func status(_ status: StaticString) -> Response {
    .object { $0.member("status", status) }
  }
}
