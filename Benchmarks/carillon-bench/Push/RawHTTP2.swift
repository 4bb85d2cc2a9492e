import ProcessControl

/// What h2load, nghttp2's own load generator in C, gets out of the same peer: the bar for our client.
enum RawHTTP2 {
  /// Requests a second over one connection; nil if h2load is not installed.
  static func measure(
    _ peer: Nghttpd, path: String, body: [UInt8], requests: Int, inFlight: Int, in directory: WorkDirectory
  ) async throws -> Double? {
    guard let h2load = Programs.find("h2load") else { return nil }
    let bodyFile = directory.path + "/body"
    try Files.write(String(decoding: body, as: UTF8.self), to: bodyFile)
    let output = directory.path + "/h2load-\(ContinuousClock.now.hashValue)"
    let status = try await ChildProcess(
      h2load,
      [
        "-n", "\(requests)", "-c", "1", "-m", "\(inFlight)", "-d", bodyFile, "-H", "apns-topic: com.example.app", "-H",
        "apns-push-type: alert", "-H", "apns-priority: 10", peer.baseURL + path,
      ], log: output, isBound: true
    ).ended()
    let text = Files.text(output) ?? ""
    guard status == 0, let rate = rate(in: text), text.contains("\(requests) succeeded") else {
      throw BenchError("h2load failed:\n\(text.suffix(Limits.logTailBytes))")
    }
    return rate
  }

  /// `finished in 3.18s, 31414.23 req/s, 828.62KB/s`
  private static func rate(in text: String) -> Double? {
    let line = text.split(separator: "\n").first { $0.hasPrefix("finished in") }
    return line?.split(separator: ", ").first { $0.hasSuffix(" req/s") }?.split(separator: " ").first
      .flatMap { Double($0) }
  }
}
