import EvidenceEdge
import EvidenceSamples
import Hummingbird
import Logging
import NIOCore

/// Serves what a log shows below `/tlog`, and runs `body` with its URL.
func withServed(_ shown: ShownLog, _ body: @escaping @Sendable (_ url: String) async throws -> Void) async throws {
  let router = Router()
  router.get("/tlog/**") { request, _ -> Response in
    switch shown.content(String(request.uri.path.dropFirst("/tlog/".count))) {
    case .content(let bytes):
      return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    case .absent: return Response(status: .notFound)
    case .failed: return Response(status: .internalServerError)
    }
  }
  let (ports, listens) = AsyncStream<Int>.makeStream()
  let server = Application(
    router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { listens.yield($0.localAddress?.port ?? 0) },
    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await server.run() }
    for await port in ports {
      try await body("http://127.0.0.1:\(port)/tlog")
      break
    }
    group.cancelAll()
    while let _ = try? await group.next() {}
  }
}
