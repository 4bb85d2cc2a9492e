import BenchReport

/// What those who are compared promise: a rate without it says nothing.
enum PeerPromises {
  private struct Text {
    let name: String
    /// Debian's; nil for Carillon.
    let package: String?
    let text: String

    init(_ name: String, _ package: String?, _ text: String) {
      (self.name, self.package, self.text) = (name, package, text)
    }
  }

  private static let texts = [
    Text(
      "Carillon", nil,
      """
      it is in the journal and synced (`fdatasync`), before it is answered and before anybody sees it; it comes once, in \
      order, to a client that goes and comes back, also over a kill or a power cut
      """),
    Text(
      "nginx + nchan", "libnginx-mod-nchan",
      "it is in the memory that nginx's processes share: nothing is stored, and all is gone with nginx"),
    Text(
      "nginx + nchan + Redis", "redis-server",
      """
      Redis has written and synced it (`appendfsync always`) before it answers nchan; nearest to what Carillon promises, \
      without chats, roles, transcripts or push
      """),
    Text("SQLite", "libsqlite3-0", "the commit is synced (write-ahead log, `synchronous=FULL`)"),
    Text("Redis", "redis-server", "the append-only file is synced (`appendfsync always`)"),
    Text("PostgreSQL", "postgresql", "the commit is synced (`synchronous_commit=on`, the default)"),
    Text("RocksDB", "rocksdb-tools", "the write-ahead log is synced (`db_bench --sync`)"),
  ]

  static func all(_ directory: WorkDirectory) async -> [PeerPage.Promise] {
    var promises: [PeerPage.Promise] = []
    for text in texts {
      var version = "this commit"
      if let package = text.package { version = await LoadTool.version(package, in: directory) }
      promises.append(PeerPage.Promise(text.name, version: version, text.text))
    }
    return promises
  }
}
