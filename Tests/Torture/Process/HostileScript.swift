import Foundation
import JSONEnvelope
import ProcessControl
import Synchronization

/// A script of this folder's `Scripts` that starts a server and is its hostile clients. It needs no more than Python.
struct HostileScript: Sendable {
  private static let interpreters = ["/usr/bin/python3", "/usr/local/bin/python3", "/bin/python3"]
  private static let errorCharacterCount = 1_500

  let name: String
  let server: String
  let remarks = RemarksOfAll()

  /// - Throws: if the plan names no server that can be started.
  init(_ name: String, _ plan: Plan) throws {
    guard let server = plan.server, FileManager.default.isExecutableFile(atPath: server) else {
      throw ScriptViolation("--server names no executable")
    }
    // Started in a directory of its own.
    (self.name, self.server) = (name, URL(fileURLWithPath: server).path)
  }

  /// Runs it to its end.
  func run(_ arguments: [String], within limit: Duration) async throws -> CaseResult {
    let place = try Workplace()
    let (output, errors) = (place.path + "/found.txt", place.path + "/errors.txt")
    let process = try ChildProcess(
      try Self.interpreter(), [Self.path(name), server, place.path + "/server"] + arguments, output: .file(output),
      errors: .file(errors), isBound: true)
    let status = try await process.wait(atMost: limit)
    var result = try findings(in: (try? String(contentsOfFile: output, encoding: .utf8)) ?? "")
    let trace = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
    result.check(
      status == 0,
      "\(name) \(status.map { "ended with \($0)" } ?? "did not end within \(limit)"): \(trace.suffix(Self.errorCharacterCount))"
    )
    withExtendedLifetime(place) {}
    return result
  }

  /// What its lines say.
  func findings(in output: String) throws -> CaseResult {
    var result = CaseResult(count: 0)
    for line in output.split(separator: "\n") {
      let found = try JSONValue(parsing: Array(line.utf8))
      result.count += found["count"]?.integer ?? 0
      if let violation = found["violation"]?.string { result.violations.append(violation) }
      if let remark = found["remark"]?.string { remarks.add(remark) }
    }
    result.check(result.count > 0 || !result.violations.isEmpty, "\(name) has tried nothing")
    return result
  }

  private static func path(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Scripts/\(name).py").path
  }

  private static func interpreter() throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/python3" }
    guard let path = (folders + interpreters).first(where: FileManager.default.isExecutableFile) else {
      throw ScriptViolation("there is no python3")
    }
    return path
  }
}

/// What the cases of a test have to say beside their numbers.
final class RemarksOfAll: Sendable {
  private let texts = Mutex<[String]>([])

  var lines: [String] { texts.withLock { $0 } }

  func add(_ text: String) { texts.withLock { $0.append(text) } }
}
