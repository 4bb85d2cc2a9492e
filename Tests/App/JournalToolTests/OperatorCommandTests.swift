import EntityRuntime
import EventSourcing
import Foundation
import Journal
import JournalFormat
import ProcessControl
import SystemPackage
import Testing

/// What the program itself says and ends with, started as an operator starts it: letter for letter.
@Suite("What operators read on the command line", .timeLimit(.minutes(2)))
struct OperatorCommandTests {
  private static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("carillon").path

  private let tool: JournalTool
  init() throws { tool = try JournalTool() }

  private func run(_ arguments: [String]) throws -> (status: Int32, said: String) {
    let outcome = try ChildProcess.run(
      Self.executable, tool.expand(arguments), environment: ["HOME": tool.folder.path, "PATH": "/usr/bin:/bin"])
    let said = String(decoding: outcome.errors, as: UTF8.self)
    return (outcome.status, said.replacingOccurrences(of: tool.folder.path + "/", with: "$"))
  }

  /// Fails unless the command, whose words `$` stands in for the tool's folder, ends with `status` and says `text`; how it
  /// is used comes after that.
  private func expect(
    _ command: String, status: Int32, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (found, said) = try run(command.split(separator: " ").map(String.init))
    let own = said.split(separator: "\n", omittingEmptySubsequences: false)
      .prefix { !$0.hasPrefix("Usage: ") && !$0.hasPrefix("Help: ") }.joined(separator: "\n")
    #expect(own.trimmingCharacters(in: .newlines) == text, sourceLocation: sourceLocation)
    #expect(found == status, sourceLocation: sourceLocation)
  }

  /// As `expect`, of a server that does not come to life: the last line of its log says why.
  private func expectNoStart(
    _ arguments: String = "", status: Int32, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (found, said) = try run(
      ["serve", "--data-directory", "$data", "--port", "0"] + arguments.split(separator: " ").map(String.init))
    let last = said.split(separator: "\n").last ?? ""
    let record = try #require(try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
    #expect(record["message"] as? String == text, sourceLocation: sourceLocation)
    #expect(record["level"] as? String == "critical", sourceLocation: sourceLocation)
    #expect(record["exitCode"] as? String == "\(status)", sourceLocation: sourceLocation)
    #expect(found == status, sourceLocation: sourceLocation)
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: tool.path(name)))
  }

  // MARK: The start

  @Test("a kind of entity that no capability owns: 65")
  func unknownKind() throws {
    try tool.write(3, to: "data/journal")
    try expectNoStart(status: 65, "record 1 is of entity kind 200, which this version does not know")
  }

  @Test("a note of a snapshot that cannot be read: 65")
  func unreadableNote() throws {
    try tool.write(0, to: "data/journal")
    let directory = FilePath(tool.path("data/journal"))
    let (writer, _) = try JournalWriter.open(
      directory: directory, configuration: JournalConfiguration(), onFatal: { _ in }, replay: { _ in })
    let snapshot = try SnapshotStore(directory: directory).begin(at: writer.durablePoint, createdMilliseconds: 0)
    let brief = Brief(rest: .asleep(until: nil), note: [0xFF])
    try snapshot.add(
      kind: 10, key: "7", sequence: 1, brief: brief.bytes, state: EntityImage(brief: brief, state: []).bytes)
    _ = try snapshot.finish()
    try writer.close()
    try expectNoStart(status: 65, "what the newest snapshot notes of callback:7 cannot be read: truncated")
  }

  @Test("two partitions in one directory: 75")
  func inUse() throws {
    try tool.write(3, to: "data/journal")
    let lock = try DiskStorage().lock(FilePath(tool.path("data/journal/LOCK")))
    defer { lock.release() }
    try expectNoStart(
      status: 75, "the data directory $data is in use by another carillon: stop that one first")
    try expect(
      "journal redact $data --subject ann --reason asked", status: 75,
      "error: $data/journal is in use by a running server: let that one do it with --server")
  }

  @Test("a journal that is damaged: 65; whose end was cut off: 92; a data directory that is a file: 73")
  func damaged() throws {
    try tool.write(300, to: "data/journal")
    try tool.change(tool.segment(1, of: "data/journal")) { $0[5_000] ^= 1 }
    try expect(
      "journal verify $data/journal", status: 65,
      "error: $data/journal/000000000001.segment is damaged at offset 4962 (a frame is damaged): "
        + "look at it with `carillon journal verify $data/journal`, restore it from a copy")
    try FileManager.default.removeItem(atPath: tool.path("data"))
    try tool.write(3, to: "data/journal")
    try tool.change(tool.segment(1, of: "data/journal")) { $0 = $0.prefix(9_000) }
    try expectNoStart(
      status: 92,
      "$data/journal/000000000001.segment ends after 9000 bytes of 16384: its end was cut off, and acknowledged records "
        + "may be gone with it; put it back from a copy, or end the journal there with "
        + "`carillon journal repair --truncate $data/journal`")
    try FileManager.default.removeItem(atPath: tool.path("data"))
    try write("a file", to: "data")
    try expectNoStart(status: 73, "open $data/PARTITIONS: Not a directory")
  }

  @Test("an address that is taken: 69; a certificate that is none: 78")
  func edge() throws {
    let listening = try Listening()
    defer { listening.close() }
    try expectNoStart(
      "--port \(listening.port)", status: 69,
      "cannot listen on 127.0.0.1:\(listening.port): bind(descriptor:ptr:bytes:): Address already in use) (errno: 98)")
    try write("nothing", to: "bad.pem")
    try expectNoStart(
      "--set server/tls.certificate=$bad.pem --set server/tls.key=$bad.pem", status: 78,
      "tls.certificate or tls.key cannot be used: failedToLoadCertificate")
  }

  // MARK: The configuration

  @Test("a wrong configuration: 78, a line for each problem", arguments: ["serve", "config check", "token list"])
  func configuration(command: String) throws {
    try write(
      """
      server:
        port: http
        cometd.maxinterval: 5
      service.request-chat:
        _client_timeout_notification: -1
      """, to: "carillon.yaml")
    try expect(
      command + " --config $carillon.yaml", status: 78,
      """
      error: $carillon.yaml:2: section server, option port: must be an integer, 0 to 65535, not “http”
      error: $carillon.yaml:3: section server, option cometd.maxinterval: unknown option; did you mean cometd.maxInterval?
      error: $carillon.yaml:5: section service.request-chat, option _client_timeout_notification: must be whole seconds, \
      0 to 31536000, not “-1”
      """)
  }

  @Test("arguments that configure nothing: 78")
  func overrides() throws {
    try expect(
      "config check --set port", status: 78, "error: command line --set …: must have the form section/option=value")
    try expect(
      "config check --set server/port=99999", status: 78,
      "error: command line --set server/port: section server, option port: must be an integer, 0 to 65535, not “99999”")
    try expect(
      "config check --config $none.yaml", status: 78, "error: $none.yaml: cannot be read: No such file or directory")
  }

  // MARK: Commands

  @Test("tokens: what is wrong with a command is 64, a token that nobody has 1, files 73")
  func tokens() throws {
    let data = "--data-directory $data"
    try expect("token create \(data)", status: 64, "error: Say once whose token it is.")
    try expect("token create k --role sender \(data)", status: 64, "error: --role sender needs --sender ID")
    try expect(
      "token create k --sender 1 \(data)", status: 64, "error: only --role sender goes with a sender's options")
    try expect(
      "token create \(String(repeating: "k", count: 65)) \(data)", status: 64,
      "error: a token's name has 1 to 64 bytes and no control characters")
    try expect(
      "token create k --out $k.token \(data)", status: 0,
      """
      Token for agent k, in $k.token, which only its owner may read.
      Use it as the header `Authorization: Bearer <token>`.
      """)
    try expect("token create k \(data)", status: 64, "error: there is a usable token named k already: revoke it first")
    try expect(
      "token create l --out $k.token \(data)", status: 73,
      "error: $k.token exists already and is not overwritten: name another file")
    try expect("token revoke nobody \(data)", status: 1, "error: no usable token has this id or name")
    try expect("token rotate nobody \(data)", status: 1, "error: no usable token has this id or name")
    try expect("token list --data-directory $other", status: 0, "No tokens in $other.")
    try write("{", to: "data/tokens.json")
    try expect("token list \(data)", status: 73, "error: $data/tokens.json is not a token file")
    try expectNoStart(status: 73, "$data/tokens.json is not a token file")
  }

  @Test("commands and options that there are not: 64")
  func commands() throws {
    try expect(
      "sevre", status: 64,
      "error: carillon has no command sevre; did you mean serve? There are: "
        + "serve, journal, token, config, health, push, messages, device, witness, standby, promote, backup, restore, "
        + "demo")
    try expect(
      "journal verfy", status: 64,
      "error: carillon journal has no command verfy; did you mean verify? There are: "
        + "verify, checkpoint, key, timeline, diff, stats, dump, replay, prove, export, check, monitor, redact, repair, "
        + "rejoin")
    try expect("serve --prot 1", status: 64, "error: Unknown option '--prot'. Did you mean '--port'?")
    try expect("messages", status: 64, "error: Messages are shown as they come: give --follow.")
    try expect("messages --follow --token-file $none", status: 66, "error: $none cannot be read")
    try expect(
      "messages --follow", status: 64,
      "error: no token: set CARILLON_TOKEN or give --token-file (`carillon token create --role admin` makes one)")
  }

  // MARK: Taking over

  @Test("a copy is promoted: 0; in use 75; no journal 66; damaged 65; a file 73")
  func promotion() throws {
    try tool.write(3, to: "data/journal")
    let store = EpochStore(directory: FilePath(tool.path("data/journal")))
    try store.write(JournalEpoch(role: .standby, own: 1, told: 1))
    try expectNoStart(
      status: 111,
      "$data/journal is a standby's: follow its primary with `carillon standby`, or take over with "
        + "`carillon promote $data`")
    let lock = try DiskStorage().lock(FilePath(tool.path("data/journal/LOCK")))
    try expect(
      "promote $data", status: 75, "error: $data/journal is in use by another process: stop that one first")
    lock.release()
    try expect("promote $data", status: 0, "")
    let own = try #require(try store.read()).own
    #expect((2...(1 + JournalEpoch.passedOverMaximum)).contains(own))
    #expect(try store.read() == JournalEpoch(role: .primary, own: own, told: own))
    try store.heard(of: own + 1)
    try expectNoStart(
      status: 110,
      "$data/journal was written in epoch \(own), and another server has taken over in epoch \(own + 1): this one may not "
        + "go on; make it that one's standby with `carillon journal rejoin $data --from URL`")
    try FileManager.default.createDirectory(atPath: tool.path("empty/journal"), withIntermediateDirectories: true)
    try expect("promote $empty", status: 66, "error: $empty/journal holds no segment of a journal")
    #expect(try FileManager.default.contentsOfDirectory(atPath: tool.path("empty/journal")).isEmpty)
    try expect("promote $none", status: 66, "error: list $none: No such file or directory")
    try write("nothing", to: "data/journal/EPOCH")
    try expect(
      "promote $data", status: 65,
      "error: $data/journal/EPOCH is damaged, and nothing else says whether this journal may be written: if no other "
        + "server has taken over, remove the file; otherwise make this directory anew")
  }

  @Test("a former primary rejoins the one that took over: 0; the same one 114; another journal 112; in use 75")
  func rejoining() throws {
    try tool.write(300, to: "data/journal")
    try FileManager.default.copyItem(atPath: tool.path("data"), toPath: tool.path("next"))
    try tool.write(100, text: "only here", to: "data/journal", ids: 3)
    try expect(
      "journal rejoin $data --from $next", status: 114,
      "error: $data/journal is of epoch 1, and the other journal of epoch 1: that one has not taken this one's place")
    try expect("promote $next", status: 0, "")
    try tool.write(50, text: "only there", to: "next/journal", ids: 4)
    try tool.write(50, to: "foreign/journal", ids: 5)
    try expect("promote $foreign", status: 0, "")
    try expect(
      "journal rejoin $data --from $foreign", status: 112,
      "error: $data/journal has no segment in common with the other journal: it is not a copy of that one, or what they "
        + "had in common was deleted; begin with an empty directory")
    let lock = try DiskStorage().lock(FilePath(tool.path("data/journal/LOCK")))
    try expect(
      "journal rejoin $data --from $next", status: 75,
      "error: $data/journal is in use by another process: stop that one first")
    lock.release()
    try expect("journal rejoin $data --from $none", status: 66, "error: list $none: No such file or directory")

    let before = try tool.contents(of: "data/journal")
    let dry = try tool.run("rejoin", "$data", "--from", "$next", "--dry-run")
    #expect(dry.status == 0)
    #expect(dry.output.contains("in common   up to position 300, ") && dry.output.contains("positions 301 to 400\n"))
    #expect(try tool.contents(of: "data/journal") == before)
    let done = try tool.run("rejoin", "$data", "--from", "$next")
    #expect(done.status == 0)
    let aside = try #require(done.output.split(separator: "\n").first { $0.hasPrefix("set aside   ") }?.dropFirst(12))
    #expect(try tool.run("verify", "$data").status == 0)
    #expect(try tool.run("verify", String(aside)).status == 0)
    try expectNoStart(
      status: 111,
      "$data/journal is a standby's: follow its primary with `carillon standby`, or take over with "
        + "`carillon promote $data`")
  }

  @Test("the journal's tools on what is not there")
  func tools() throws {
    try tool.write(3)
    try expect("journal replay $journal --entity chat:1", status: 1, "error: no record of chat:1")
    try expect(
      "journal replay $journal --entity king:1", status: 64,
      "error: The value 'king:1' is invalid for '--entity <entity>'"
    )
    try expect(
      "journal timeline $journal --subject ann", status: 1,
      "error: nothing in this journal belongs to the customer ann")
    try expect(
      "journal diff $journal --entity chat:1 --at 1", status: 64,
      "error: --at is needed twice: from which moment, and up to which.")
    try expect(
      "journal redact $folder --subject ann --reason asked", status: 64,
      "error: $folder is not the journal of a data directory: name the data directory")
    for command in ["verify", "repair", "stats", "dump"] {
      try expect("journal \(command) $empty", status: 66, "error: list $empty: No such file or directory")
    }
  }
}

/// A port that somebody has.
private struct Listening {
  private let descriptor: Int32
  let port: Int

  init() throws {
    let free = try #require(LoopbackPort.free())
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(free).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try #require(isBound && listen(descriptor, 1) == 0)
    (self.descriptor, port) = (descriptor, free)
  }

  func close() { _ = Foundation.close(descriptor) }
}
