internal import JSONEnvelope
internal import JournalFormat
internal import StandbyWire

/// Which version of each file a standby has, and under which name its primary knows it. Worth nothing but time: without it
/// every file is fetched again.
struct FollowedFiles: Sendable, Equatable {
  var name: StandbyName
  /// By path, as manifests have it.
  var versions: [String: String] = [:]

  static let fileName = "FOLLOWED.json"

  init(name: StandbyName) { self.name = name }

  /// Nil if the bytes are not what `document` has written.
  init?(document: [UInt8]) {
    let limits = JSONLimits(depthMaximum: 2, documentBytesMaximum: FollowerLimits.followedBytesMaximum)
    guard let body = (try? JSONValue(parsing: document, limits: limits))?.object,
      let name = body["standby"]?.string.flatMap({ StandbyName($0) }), let files = body["files"]?.object
    else { return nil }
    self.init(name: name)
    for member in files.members { versions[member.name] = member.value.string }
  }

  var document: [UInt8] {
    JSONWriter.object(capacity: 128 + versions.count * 192) { body in
      body.member("standby", name.text)
      body.object("files") { files in
        for (path, version) in versions.sorted(by: { $0.key < $1.key }) { files.member(named: path, version) }
      }
    }
  }

  func has(_ file: StandbyFile) -> Bool { versions[file.path] == file.version }

  /// A new copy of the journal has taken the place of the old one.
  mutating func exchangeJournal(for copy: [String: String]) {
    versions = versions.filter { StandbyPath($0.key)?.isOfJournal == false }
    versions.merge(copy) { _, new in new }
  }

  /// Files that are not there.
  mutating func forget(notIn places: Set<StandbyPath>) {
    versions = versions.filter { path, _ in StandbyPath(path).map(places.contains) ?? false }
  }

  /// Files of segments that lie elsewhere now, or nowhere.
  mutating func forgetSegments(notIn manifest: StandbyManifest) {
    let there = Set(manifest.segments.map(\.file.path))
    versions = versions.filter { path, _ in there.contains(path) || StandbyPath(path)?.isOfSegment == false }
  }
}
