import Foundation
import Testing

@testable import CarillonConfiguration

@Suite("Secrets that a service manager hands over as files")
struct CredentialsTests {
  /// The directory with these files, for as long as `body` runs.
  private func withFiles(_ files: [String: [UInt8]], _ body: (_ directory: URL) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    for (name, bytes) in files { try Data(bytes).write(to: directory.appending(path: name)) }
    try body(directory)
  }

  @Test("a file with the name of an option's variable is that variable, without the end of its line")
  func variable() throws {
    try withFiles(["CARILLON_SERVER_HOST": Array("::1\n".utf8), "CARILLON_tls.key": [0xFF]]) { directory in
      let environment = try Credentials.under(["CREDENTIALS_DIRECTORY": directory.path, "PATH": "/bin"])
      #expect(environment["CARILLON_SERVER_HOST"] == "::1")
      #expect(environment.count == 3, "a file for an option that names a file is not read")
      let loaded = try ConfigurationLoader.load(yaml: "", ConfigurationSources(environment: environment))
      #expect(ServerSettings(loaded).host == "::1")
    }
  }

  @Test("a variable that is set wins over a file")
  func precedence() throws {
    try withFiles(["CARILLON_SERVER_HOST": Array("::1".utf8)]) { directory in
      let environment = try Credentials.under([
        "CREDENTIALS_DIRECTORY": directory.path, "CARILLON_SERVER_HOST": "127.0.0.1",
      ])
      #expect(environment["CARILLON_SERVER_HOST"] == "127.0.0.1")
    }
  }

  @Test("each that cannot be read is named, and refused")
  func unreadable() throws {
    try withFiles(["CARILLON_A": [0xFF], "CARILLON_B": Array("b".utf8)]) { directory in
      try FileManager.default.createDirectory(
        at: directory.appending(path: "CARILLON_C"), withIntermediateDirectories: true)
      let refused = #expect(throws: ConfigurationRefused.self) {
        try Credentials.under(["CREDENTIALS_DIRECTORY": directory.path])
      }
      #expect(refused?.problems.count == 2)
      #expect(refused?.description.contains("CARILLON_A: is not UTF-8") == true)
      #expect(refused?.description.contains("CARILLON_C: cannot be read") == true)
    }
  }

  @Test("without a directory, or with one that is gone, the environment is what it was", arguments: [nil, "/nowhere"])
  func none(directory: String?) throws {
    let environment = directory.map { ["CREDENTIALS_DIRECTORY": $0] } ?? [:]
    #expect(try Credentials.under(environment) == environment)
  }
}
