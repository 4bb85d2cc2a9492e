import Engine
import Hummingbird
import JSONEnvelope

/// What operators and orchestrators ask: is it alive, is it ready, what does it count, what can it be asked.
struct OperationRoutes {
  let engine: Engine
  let exposition: @Sendable () -> String
  let document: ServedDocument

  static var live: Response { status("live") }

  func ready() throws -> Response {
    guard engine.isReady else { throw EdgeFailure.unavailable("The server is not ready") }
    // Reads and held polls go on, but nothing can be changed: whoever sends work here is to know.
    guard !engine.isStorageFull else { throw EdgeFailure(EngineError.storageFull) }
    return Self.status("ready")
  }

  func metrics() -> Response {
    Response(
      status: .ok,
      headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-cache"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: exposition())))
  }

  private static func status(_ status: StaticString) -> Response {
    .object { $0.member("status", status) }
  }
}
