import Foundation
import JSONEnvelope
import Journal
import JournalFormat
import ProcessControl
import StandbyWire
import SystemPackage

/// One of the two machines: a data directory, and what runs on it.
actor StandbyNode {
  nonisolated let name: String
  nonisolated let directory: String
  private nonisolated let carillon: Carillon
  private nonisolated let configurationFile: String
  private var process: ChildProcess?
  /// Where its server listens, or did.
  private(set) var port = 0

  private static let startLimit = Duration.seconds(30)
  private static let endLimit = Duration.seconds(20)
  /// Of a log, for whoever reads a violation.
  private static let logCharacterCount = 1_500

  /// - Parameter waits: nothing is acknowledged before a standby has it.
  init(_ name: String, _ carillon: Carillon, waits: Bool) throws {
    (self.name, self.carillon) = (name, carillon)
    directory = carillon.directory + "/" + name
    configurationFile = carillon.directory + "/\(name).yaml"
    // Snapshots and packing go on all the time, so that files change beside the journal's end.
    let options = [
      "host": "127.0.0.1", "data_directory": directory, "journal.segment_size": "4MiB",
      "journal.snapshot_interval": "2", "journal.snapshot_records": "50", "journal.archive_interval": "1",
      "standby.wait": "\(waits)", "standby.wait_limit": "2",
    ]
    let lines = options.sorted { $0.key < $1.key }.map { "  \($0.key): \"\($0.value)\"\n" }
    try "server:\n\(lines.joined())service.request-chat:\n"
      .write(toFile: configurationFile, atomically: true, encoding: .utf8)
  }

  nonisolated var journal: FilePath { FilePath(directory).appending("journal") }
  private nonisolated func log(_ command: String) -> String { carillon.directory + "/\(name).\(command).log" }

  /// What its server and its standby have said last.
  nonisolated var lastWords: String {
    ["serve", "standby"].map { command in
      let text = (try? String(contentsOfFile: log(command), encoding: .utf8)) ?? ""
      return "\(name), \(command): …\(text.suffix(Self.logCharacterCount))"
    }.joined(separator: "\n")
  }

  // MARK: Life

  /// Starts the server, and waits until it is ready.
  func serve() async throws {
    let from = FileManager.default.contents(atPath: log("serve"))?.count ?? 0
    let started = try launchServer()
    process = started
    port = try await patiently("\(name) serves", within: Self.startLimit, state: { self.lastWords }) {
      if let status = started.poll() {
        throw ScriptViolation("\(name): serve ended with \(status) at its start\n\(lastWords)")
      }
      return Self.readyPort(in: FileManager.default.contents(atPath: log("serve"))?.dropFirst(from) ?? Data())
    }
  }

  /// Starts the server, which is to refuse.
  /// - Returns: the status that it ended with; nil if it went on and had to be killed.
  func statusOfRefusedServer() async throws -> Int32? { try await launchServer().wait(atMost: Self.endLimit) }

  /// Follows the primary at the other end of the line.
  func follow(_ line: StandbyLine, tokenFile: String) throws {
    process = try carillon.start(
      [
        "standby", "--from", "http://127.0.0.1:\(line.port)", "--data-directory", directory, "--token-file", tokenFile,
        "--name", name,
      ], log: log("standby"))
  }

  /// kill -9 of what runs.
  func kill() async throws {
    guard let process else { throw ScriptViolation("nothing runs on \(name)") }
    process.send(signal: SIGKILL)
    let status = try await process.ended()
    self.process = nil
    guard status == -SIGKILL else {
      throw ScriptViolation("\(name) had ended with \(status) before it was killed\n\(lastWords)")
    }
  }

  /// SIGTERM; what runs has to end well.
  func stop() async throws {
    guard let process else { throw ScriptViolation("nothing runs on \(name)") }
    process.send(signal: SIGTERM)
    let status = try await end(of: process)
    guard status == 0 else {
      throw ScriptViolation("\(name) ended with \(status.map { "\($0)" } ?? "nothing") on SIGTERM\n\(lastWords)")
    }
  }

  /// Waits until it ends by itself.
  /// - Returns: the status; nil if it went on and had to be killed.
  func statusAtEnd() async throws -> Int32? {
    guard let process else { throw ScriptViolation("nothing runs on \(name)") }
    return try await end(of: process)
  }

  /// - Throws: if what runs has ended.
  func requireRunning() throws {
    guard let status = process?.poll() else { return }
    throw ScriptViolation("\(name) ended with \(status) by itself\n\(lastWords)")
  }

  /// Whatever state it is in.
  func endAtOnce() async {
    await process?.end()
    process = nil
  }

  private func end(of process: ChildProcess) async throws -> Int32? {
    let status = try await process.wait(atMost: Self.endLimit)
    self.process = nil
    return status
  }

  private func launchServer() throws -> ChildProcess {
    try carillon.start(["serve", "--config", configurationFile, "--port", "0"], log: log("serve"))
  }

  private static func readyPort(in log: Data) -> Int? {
    for line in log.split(separator: UInt8(ascii: "\n")) {
      guard let record = try? JSONValue(parsing: Array(line)),
        record["message"]?.string?.contains("is ready on") == true
      else { continue }
      return record["address"]?.string?.split(separator: ":").last.flatMap { Int($0) }
    }
    return nil
  }

  // MARK: The directory

  /// Makes a token.
  /// - Returns: the file that holds it.
  nonisolated func makeToken(_ holder: String, role: String) async throws -> String {
    let file = carillon.directory + "/\(holder).token"
    try await carillon.succeed([
      "token", "create", holder, "--role", role, "--data-directory", directory, "--out", file,
    ])
    return file
  }

  /// Takes over.
  /// - Returns: the epoch in which it writes.
  nonisolated func promote() async throws -> UInt32 {
    try await carillon.succeed(["promote", directory])
    guard let epoch = try EpochStore(directory: journal).read(), epoch.role == .primary, epoch.told == epoch.own else {
      throw ScriptViolation("\(name) was promoted, and its EPOCH does not say so")
    }
    return epoch.own
  }

  /// Becomes a standby of the one that has taken over.
  nonisolated func rejoin(_ other: String, _ arguments: [String]) async throws {
    try await carillon.succeed(["journal", "rejoin", directory, "--from", other] + arguments)
  }

  /// `carillon journal verify`.
  nonisolated func verify() async throws { try await carillon.succeed(["journal", "verify", directory]) }

  /// The position of the last record.
  nonisolated func lastPosition() throws -> UInt64 { try JournalReader(directory: journal).verify().lastPosition }

  /// What is behind a position: how many records, and the texts in them.
  nonisolated func content(after position: UInt64) throws -> (count: UInt64, texts: Set<String>) {
    var count: UInt64 = 0
    var texts: Set<String> = []
    try JournalReader(directory: journal).forEachRecord(from: position + 1) { record in
      count += 1
      texts.formUnion(AcknowledgedTexts.texts(in: String(decoding: record.payload, as: UTF8.self)))
    }
    return (count, texts)
  }

  /// The frames of the journal, then those of each that was set aside.
  nonisolated func frames() throws -> [(name: String, frames: [EpochBook.Frame])] {
    let asides = try FileManager.default.contentsOfDirectory(atPath: journal.string).filter { $0.hasPrefix("aside-") }
    let journals = [(name, journal)] + asides.sorted().map { ("\(name)/\($0)", journal.appending($0)) }
    return try journals.map { name, path in
      var frames: [EpochBook.Frame] = []
      try JournalReader(directory: path).forEachFrame { frame in
        guard !frame.header.isEmpty else { return }
        frames.append(
          EpochBook.Frame(
            epoch: frame.header.epoch, firstPosition: frame.header.firstPosition, chainHash: frame.header.chainHash))
      }
      return (name, frames)
    }
  }

  /// Compares the segments of two directories, wherever they lie.
  /// - Returns: what differs first; nil if they are the same bytes in the same places.
  nonisolated func difference(from other: StandbyNode) -> String? {
    let (own, others) = (segments(), other.segments())
    guard own == others else {
      return "\(name) has \(own.subtracting(others).sorted()), \(other.name) has \(others.subtracting(own).sorted())"
    }
    for path in own.sorted() {
      let ownBytes = FileManager.default.contents(atPath: directory + "/" + path)
      let otherBytes = FileManager.default.contents(atPath: other.directory + "/" + path)
      guard let ownBytes, let otherBytes else { return "\(path) has gone meanwhile" }
      guard ownBytes != otherBytes else { continue }
      let place = zip(ownBytes, otherBytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      return "\(path) of \(ownBytes.count) bytes at \(name), of \(otherBytes.count) at \(other.name), differs at byte "
        + "\(place ?? min(ownBytes.count, otherBytes.count))"
    }
    return nil
  }

  private nonisolated func segments() -> Set<String> {
    let files = FileManager.default
    return Set(
      ["journal", "journal/archive"].flatMap { folder in
        // There need not be an archive.
        ((try? files.contentsOfDirectory(atPath: directory + "/" + folder)) ?? []).map { "\(folder)/\($0)" }
      }.filter { if case .segment = StandbyPath($0) { true } else { false } })
  }
}
