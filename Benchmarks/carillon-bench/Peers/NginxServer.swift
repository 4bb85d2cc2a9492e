import CarillonClient
import Glibc

/// nginx with its module nchan: a channel for each id, whose subscribers poll or hold a WebSocket.
final class NginxServer: Sendable {
  private static let module = "/usr/lib/nginx/modules/ngx_nchan_module.so"

  let address: ServerAddress
  let process: PeerProcess

  /// Starts it and waits until it takes connections.
  /// - Parameter redisPort: of the Redis that keeps the messages; nil: they stay in nginx's memory.
  static func start(in directory: WorkDirectory, redisPort: Int? = nil, workers: Int) async throws -> NginxServer {
    let server = try NginxServer(directory, redisPort, workers)
    try await server.process.waitUntilListening(server.address.port)
    do { try await server.waitUntilStoring() } catch {
      await server.process.stop()
      throw error
    }
    return server
  }

  /// It listens before it has reached its Redis, and refuses what comes meanwhile.
  private func waitUntilStoring() async throws {
    let pool = HTTPPool(address)
    defer { pool.shutDown() }
    let request = HTTPRequest(
      .post, NchanChannels.publisherPath + "first", contentType: "text/plain", body: Array("#".utf8))
    let deadline = ContinuousClock.now + Limits.readyTimeout
    while ContinuousClock.now < deadline {
      let response = try? await pool.response(to: request, timeout: Limits.requestTimeout)
      if let response, (200...202).contains(response.status) { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw BenchError("nginx takes no message:\n\(process.logTail)")
  }

  private init(_ directory: WorkDirectory, _ redisPort: Int?, _ workers: Int) throws {
    let executable = try Programs.require("nginx", package: "nginx")
    guard access(Self.module, R_OK) == 0 else {
      throw BenchError("no nchan: install the package libnginx-mod-nchan")
    }
    let port = try BenchServer.freePort()
    address = ServerAddress(host: "127.0.0.1", port: port)
    let file = directory.path + "/nginx.conf"
    try Files.write(Self.configuration(directory.path, port, redisPort, workers), to: file)
    process = try PeerProcess(
      executable, ["-p", directory.path, "-c", file, "-e", directory.path + "/nginx-error.log"], name: "nginx",
      in: directory, endedBy: SIGTERM)
  }

  private static func configuration(_ directory: String, _ port: Int, _ redisPort: Int?, _ workers: Int) -> String {
    let upstream = redisPort.map { "upstream store { nchan_redis_server redis://127.0.0.1:\($0); }" } ?? ""
    let pass = redisPort == nil ? "" : "nchan_redis_pass store;"
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(directory)/\($0);" }.joined(separator: " ")
    return """
      load_module \(module);
      \(geteuid() == 0 ? "user root;" : "")
      daemon off;
      worker_processes \(workers);
      worker_rlimit_nofile 20000;
      pid \(directory)/nginx.pid;
      events { worker_connections 19900; }
      http {
        \(temporary)
        access_log off;
        tcp_nodelay on;
        keepalive_timeout 1h;
        keepalive_requests 1000000000;
        nchan_shared_memory_size 512m;
        nchan_message_buffer_length 100;
        nchan_message_timeout 1h;
        \(upstream)
        server {
          listen 127.0.0.1:\(port) backlog=4096;
          location = /pub { nchan_publisher; nchan_channel_id $arg_id; \(pass) }
          location = /sub { nchan_subscriber; nchan_channel_id $arg_id; \(pass) }
        }
      }

      """
  }
}
