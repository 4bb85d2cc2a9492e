import Engine
import Hummingbird
import JSONEnvelope

/// What operators and orchestrators ask: is it alive, is it ready, what does it count.
struct OperationRoutes {
  let engine: Engine
  let exposition: @Sendable () -> String

  func add(to router: EdgeRoutes) {
    let (engine, exposition) = (engine, exposition)
    router.resource("/health/live", [.get: { _, _ in Self.status("live") }])
    router.resource(
      "/health/ready",
      [
        .get: { _, _ in
          guard engine.isReady else { throw EdgeFailure.unavailable("The server is not ready") }
          // Reads and held polls go on, but nothing can be changed: whoever sends work here is to know.
          guard !engine.isStorageFull else { throw EdgeFailure(EngineError.storageFull) }
          return Self.status("ready")
        }
      ])
    router.resource(
      "/metrics",
      [
        .get: { _, _ in
          Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: exposition())))
        }
      ])
  }

  private static func status(_ status: StaticString) -> Response {
    .json { writer in
      writer.beginObject()
      writer.key("status")
      writer.string(status)
      writer.endObject()
    }
  }
}
