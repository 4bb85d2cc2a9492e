import ProcessControl

/// A certificate for loopback with its key, both PEM, P-256; it is its own authority.
struct Certificate: Sendable {
  let path: String
  let keyPath: String

  /// Made by openssl.
  static func make(in directory: WorkDirectory) async throws -> Certificate {
    let made = Certificate(path: directory.path + "/peer.pem", keyPath: directory.path + "/peer-key.pem")
    let log = directory.path + "/openssl.log"
    let status = try await ChildProcess(
      try Programs.require("openssl", package: "openssl"),
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
        made.keyPath, "-out", made.path, "-days", "2", "-subj", "/CN=localhost", "-addext",
        "subjectAltName=DNS:localhost,IP:127.0.0.1",
      ], log: log, isBound: true
    ).ended()
    guard status == 0 else { throw BenchError("openssl made no certificate:\n\(Files.text(log) ?? "")") }
    return made
  }
}
