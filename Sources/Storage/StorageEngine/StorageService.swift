package import EngineKit
package import EntityRuntime
package import EventSourcing
package import StorageDomain
import SystemPackage

/// Short-lived texts and files of apps, and the data of service instances. Each call returns once what it did is
/// durable. Spec: GMS 11.
public final class StorageService: Sendable {
  package let directory: EntityDirectory<StoredData>
  package let index: StorageIndex
  let blobs: BlobStore
  let instances: any InstanceData
  package let timers: KeyedTimers<StorageTimer>
  let tasks: TaskPool
  let identifiers: Identifiers
  let context: RuntimeContext
  let limits: EngineLimits
  let bounds: StorageLimits
  /// What is stored under one name is stored one after the other.
  private let names = (0..<64).map { _ in Housekeeper() }

  /// Seconds of life for a wrong value. Spec: GMS 11.
  public static let secondsDefault = 30
  /// The longest life of an instance's data; a longer one of the instance becomes this.
  package static let secondsMaximum = 31_536_000

  /// - Parameter blobs: hears of files before records name them.
  package init(
    _ partitions: Partitions, instances: any InstanceData, bounds: StorageLimits, blobs observer: BlobObserver
  ) {
    let node = partitions.node
    directory = partitions.directory(.stored)
    index = StorageIndex()
    timers = partitions.timers()
    blobs = BlobStore(
      directory: partitions.dataDirectory.appending("blobs"), storage: node.environment.storage,
      journal: partitions.all[0].journal, byteCountMaximum: node.limits.storedBytesMaximum, observer: observer,
      logger: node.logger)
    self.instances = instances
    tasks = node.tasks
    identifiers = node.identifiers
    context = partitions.context
    limits = node.limits
    self.bounds = bounds
    partitions.add(self)
  }

  // MARK: Storing

  /// Stores under a new id.
  /// - Parameters:
  ///   - seconds: how long it lives.
  ///   - owner: the `gms_user` or user of support whose it is, or a part of this house that neither can be called as: the
  ///     id alone leads to nothing then. Nil: whoever knows the id may have it.
  ///   - source: whose share it takes, beside the owner's; nil for whoever is no stranger.
  /// - Returns: the id.
  public func create(
    _ uploads: [StorageUpload], seconds: Int, owner: String? = nil, from source: StorageSource? = nil
  ) async throws(StorageFailure) -> String {
    try checkLife(seconds)
    let key = identifiers.uuid()
    try await create(
      uploads, under: key, named: owner.map { StorageName.custom(id: key, user: $0) }, until: until(seconds),
      from: source)
    return key
  }

  /// - Parameter key: new; nobody else knows it yet.
  func create(
    _ uploads: [StorageUpload], under key: String, named name: StorageName?, until: Timestamp,
    from source: StorageSource?
  ) async throws(StorageFailure) {
    try await withFiles(of: uploads, for: name?.user, from: source, key: nil) { pairs throws(StorageFailure) in
      if let name { _ = index.claim(name, for: key) }
      try await make(key, StorageChange(pairs, until: until, mayBeNew: true, name: name), from: source)
    }
  }

  /// Stores under an id of the user's own; what it has already stays, as far as it is not replaced.
  public func create(
    _ uploads: [StorageUpload], seconds: Int, customID: String, user: String, from source: StorageSource? = nil
  ) async throws(StorageFailure) {
    let bound = bounds.nameBytesMaximum
    guard (1...bound).contains(customID.utf8.count) else {
      throw .invalid(field: "customId", reason: "has not 1 to \(bound) bytes")
    }
    try checkLife(seconds)
    let name = StorageName.custom(id: customID, user: user)
    let present = index[name]
    try await withFiles(of: uploads, for: name.user, from: source, key: present) { pairs throws(StorageFailure) in
      try await store(pairs, as: name, until: until(seconds), from: source)
    }
  }

  /// Adds or replaces keys and renews the life time. - Parameter seconds: nothing for an instance, which has its own.
  public func update(
    _ place: StoragePlace, _ uploads: [StorageUpload], seconds: Int, from source: StorageSource? = nil
  ) async throws(StorageFailure) {
    // Before anything large is written.
    _ = try await pairs(place)
    if case .id = place { try checkLife(seconds) }
    let present = key(place)
    let user = present.flatMap { index.name(of: $0)?.user }
    try await withFiles(of: uploads, for: user, from: source, key: present) { pairs throws(StorageFailure) in
      switch place {
      case .instance(let id, _):
        try await store(pairs, as: .instance(id), until: until(instances.seconds(of: id)), from: source)
      case .id:
        guard let key = key(place), let record = directory[key] else { throw .unknown }
        let change = StorageChange(pairs, until: until(seconds), mayBeNew: false)
        try await perform(.store(change, limits: bounds), on: record, from: source)
      }
    }
  }

  /// Stores under a name, whether there is something or not. One at a time for each name: else one who fails would take
  /// away what another has just begun to make.
  private func store(
    _ pairs: [StoredPair], as name: StorageName, until: Timestamp, from source: StorageSource? = nil
  ) async throws(StorageFailure) {
    let change = StorageChange(pairs, until: until, mayBeNew: true, name: name)
    try await names[abs(name.hashValue % names.count)].alone { () async throws(StorageFailure) in
      // What has this name may just be coming to its end: then it is made anew.
      for _ in 0..<Self.attempts {
        let fresh = identifiers.uuid()
        let key = index.claim(name, for: fresh)
        if key == fresh { return try await make(key, change, from: source) }
        // Never a new one under a key that has come to its end: replay would pass over it.
        guard let record = directory[key] else { continue }
        do throws(StorageFailure) {
          return try await perform(.store(change, limits: bounds), on: record, from: source)
        } catch {
          guard error == .unknown else { throw error }
        }
      }
      throw .unavailable
    }
  }

  private static let attempts = 3

  /// - Parameter key: new; nobody else knows it yet.
  private func make(
    _ key: String, _ change: StorageChange, from source: StorageSource?
  ) async throws(StorageFailure) {
    do throws(StorageFailure) {
      guard let record = directory.entity(key, limit: limits.storedRecordsMaximum) else {
        throw .limitReached("stored_records")
      }
      try await perform(.store(change, limits: bounds), on: record, from: source)
    } catch {
      forget(key)
      throw error
    }
  }

  /// Puts the files on the disk, where they stay at least until `body` is done.
  ///
  /// - Parameters:
  ///   - user: of whose bounds it is taken; nobody's if it is nil.
  ///   - source: whose share it is taken of, too.
  ///   - key: of the data; nil if it will be one more record.
  private func withFiles(
    of uploads: [StorageUpload], for user: String?, from source: StorageSource?, key: String?,
    _ body: ([StoredPair]) async throws(StorageFailure) -> Void
  ) async throws(StorageFailure) {
    try check(uploads)
    let reservation = try index.reserve(fileBytes(of: uploads), for: user, from: source, key: key, limits)
    defer { index.release(reservation) }
    var pinned: [BlobStore.Digest] = []
    defer {
      for digest in pinned { blobs.unpin(digest) }
      collect()
    }
    var pairs: [StoredPair] = []
    for upload in uploads {
      let (value, bytes) = prepared(upload.content)
      if let bytes, case .file(let file) = value {
        do { try await blobs.put(bytes, file.digest) } catch { throw StorageFailure(error) }
        pinned.append(file.digest)
      }
      pairs.append(StoredPair(upload.name, value))
    }
    try await body(pairs)
  }

  /// What nobody wants any more would stay as long as anybody likes.
  private func checkLife(_ seconds: Int) throws(StorageFailure) {
    guard seconds <= limits.storedSecondsMaximum else {
      throw .invalid(field: "ttl", reason: "is more than \(limits.storedSecondsMaximum) seconds")
    }
  }

  private func fileBytes(of uploads: [StorageUpload]) -> Int {
    uploads.reduce(0) { sum, upload in
      switch upload.content {
      case .text(let text): sum + (text.utf8.count > bounds.inlineBytesMaximum ? text.utf8.count : 0)
      case .file(let bytes, _, _): sum + bytes.count
      }
    }
  }

  func until(_ seconds: Int) -> Timestamp {
    context.time.now.advanced(by: .seconds(min(max(seconds, 1), Self.secondsMaximum)))
  }

  /// What the journal has of a value, and what a file has.
  private func prepared(_ content: StorageUpload.Content) -> (StoredValue, file: [UInt8]?) {
    switch content {
    case .text(let text):
      guard text.utf8.count > bounds.inlineBytesMaximum else { return (.text(text), nil) }
      let bytes = Array(text.utf8)
      let file = StoredFile(
        digest: BlobStore.digest(of: bytes), byteCount: bytes.count, contentType: "text/plain", name: nil, isText: true)
      return (.file(file), bytes)
    case .file(let bytes, let contentType, let name):
      let file = StoredFile(
        digest: BlobStore.digest(of: bytes), byteCount: bytes.count, contentType: contentType, name: name)
      return (.file(file), bytes)
    }
  }

  private func check(_ uploads: [StorageUpload]) throws(StorageFailure) {
    guard uploads.count <= bounds.keysMaximum else {
      throw .invalid(field: "keys", reason: "are more than \(bounds.keysMaximum)")
    }
    for upload in uploads {
      var names = [("key", upload.name)]
      if case .file(_, let type, let name) = upload.content {
        names += [("Content-Type", type), ("filename", name ?? "")]
      }
      for (field, text) in names where text.utf8.count > bounds.nameBytesMaximum {
        throw .invalid(field: field, reason: "is longer than \(bounds.nameBytesMaximum) bytes")
      }
      if upload.name.isEmpty { throw .invalid(field: "key", reason: "is empty") }
    }
  }

  // MARK: Reading

  /// Whether a service instance is there for somebody who shows this `gms_user`, or none.
  public func hasInstance(_ id: String, for user: String?) async -> Bool {
    await instances.data(of: id, for: .customer(userKey: user)) != nil
  }

  /// All keys, in the order in which they came.
  public func values(_ place: StoragePlace) async throws(StorageFailure) -> [(name: String, value: StorageValue)] {
    var found: [(name: String, value: StorageValue)] = []
    for pair in try await pairs(place) {
      if let value = try await value(pair.value) { found.append((pair.name, value)) }
    }
    return found
  }

  public func value(_ name: String, of place: StoragePlace) async throws(StorageFailure) -> StorageValue {
    guard let pair = try await pairs(place).first(where: { $0.name.isNamed(name) }),
      let value = try await value(pair.value)
    else { throw .unknownKey }
    return value
  }

  /// A file and its content. - Throws: `.unknownKey` also for a text, `.damaged`.
  public func file(
    _ name: String, of place: StoragePlace
  ) async throws(StorageFailure) -> StorageContent {
    guard let pair = try await pairs(place).first(where: { $0.name.isNamed(name) }), case .file(let file) = pair.value,
      !file.isText
    else { throw .unknownKey }
    return StorageContent(
      bytes: try await content(of: file), digest: file.digest, contentType: file.contentType, name: file.name)
  }

  private func value(_ value: StoredValue) async throws(StorageFailure) -> StorageValue? {
    switch value {
    case .text(let text): .text(text)
    case .file(let file) where file.isText: .text(String(decoding: try await content(of: file), as: UTF8.self))
    case .file: .file
    case .hidden: nil
    }
  }

  func content(of file: StoredFile) async throws(StorageFailure) -> [UInt8] {
    do { return try await blobs.read(file.digest) } catch { throw StorageFailure(error) }
  }

  /// What is stored; of an instance its own data, with what was stored over it.
  private func pairs(_ place: StoragePlace) async throws(StorageFailure) -> [StoredPair] {
    let now = context.time.now
    var stored: [StoredPair]?
    if let key = key(place), let record = directory[key] {
      do { stored = try await record.read { data in data.expiresAt.map { $0 > now } == true ? data.pairs : nil } } catch
      {
        throw StorageFailure(error)
      }
    }
    guard case .instance(let id, let user) = place else {
      guard let stored else { throw .unknown }
      return stored
    }
    guard let own = await instances.data(of: id, for: .customer(userKey: user)) else { throw .unknownInstance }
    let over = stored ?? []
    return own.map { pair in over.first { $0.name.isNamed(pair.name) } ?? pair }
      + over.filter { pair in !own.contains { $0.name.isNamed(pair.name) } }
  }

  // MARK: Deleting

  /// - Parameter source: whose share it takes to remember that something of an instance is not there any more.
  /// - Throws: `.unknown`, `.unknownKey`, `.quota`.
  public func delete(
    _ name: String, of place: StoragePlace, from source: StorageSource? = nil
  ) async throws(StorageFailure) {
    guard let pair = try await pairs(place).first(where: { $0.name.isNamed(name) }), pair.value != .hidden else {
      throw .unknownKey
    }
    if case .instance(let id, let user) = place,
      await instances.data(of: id, for: .customer(userKey: user))?.contains(where: { $0.name.isNamed(name) }) == true
    {
      return try await hide([name], of: id, from: source)
    }
    guard let key = key(place), let record = directory[key] else { throw .unknown }
    try await perform(.remove(name), on: record)
  }

  public func delete(_ place: StoragePlace, from source: StorageSource? = nil) async throws(StorageFailure) {
    let names = try await pairs(place).map(\.name)
    if case .instance(let id, _) = place {
      if !names.isEmpty { try await hide(names, of: id, from: source) }
      return
    }
    guard let key = key(place), let record = directory[key] else { throw .unknown }
    try await perform(.end(reason: "deleted"), on: record)
  }

  /// The data below shows through where nothing is stored, so that what was deleted has to be said.
  private func hide(
    _ names: [String], of id: String, from source: StorageSource?
  ) async throws(StorageFailure) {
    let reservation = try index.reserve(0, for: nil, from: source, key: index[.instance(id)], limits)
    defer { index.release(reservation) }
    try await store(
      names.map { StoredPair($0, .hidden) }, as: .instance(id), until: until(instances.seconds(of: id)), from: source)
  }

  // MARK: What the data wants

  package func perform(_ effects: [StorageEffect], of record: Entity<StoredData>) async {
    let key = record.id.key
    for effect in effects {
      switch effect {
      case .holds(let files):
        blobs.hold(files.map(\.digest), by: key)
        index.holds(files.reduce(0) { $0 + $1.byteCount }, key)
        collect()
      case .setAlarm(let deadline): timers.start(.expiry, of: key, at: deadline)
      case .forget: forget(key)
      }
    }
  }

  private func restored(_ key: String, _ note: StorageNote) {
    if let name = note.name { _ = index.claim(name, for: key) }
    blobs.restore(note.files, of: key)
    index.holds(note.files.reduce(0) { $0 + $1.byteCount }, key)
  }

  private func forget(_ key: String) {
    timers.cancel(.expiry, of: key)
    index.remove(key)
    directory.remove(key)
  }

  /// Removes files that nobody needs any more, soon; if there is no room for that now, with the next that goes.
  private func collect() {
    if blobs.hasGarbage { _ = tasks.spawn { [blobs] in await blobs.collect() } }
  }

  /// The timer has fired. The data of an instance lives as long as the instance, a file as long as its chat. A clock that
  /// was set back meanwhile makes it too early: it is set anew.
  package func fired(_ alarm: StorageTimer, of key: String) async {
    guard let record = directory[key] else { return }
    if let id = await instance(keeping: await record.peek { $0.name }) {
      await record.post(.renew(until: until(instances.seconds(of: id))))
    } else {
      await record.post(.expire)
    }
    // Not at once, should the disk have no room for its end at the moment.
    let again = await record.peek { $0.expiresAt }
    if let again { timers.start(.expiry, of: key, at: max(again, context.time.now.advanced(by: .seconds(1)))) }
  }

  /// The instance that data of this name lives as long as; nil if there is none, or none any more.
  private func instance(keeping name: StorageName?) async -> String? {
    switch name {
    case .instance(let id): await instances.data(of: id, for: .house) == nil ? nil : id
    case .file(let id, let chat): await instances.hasFile(id, inChatOf: chat) ? chat : nil
    case .custom, nil: nil
    }
  }

  // MARK: Parts

  private func key(_ place: StoragePlace) -> String? {
    switch place {
    case .instance(let id, _): return index[.instance(id)]
    case .id(let id, let user):
      if let user, let key = index[.custom(id: id, user: user)] { return key }
      return index.isNamed(id) ? nil : id
    }
  }

  /// - Parameter source: whose the data counts as, if it is changed: in the same turn, so that what has ended never does.
  func perform(
    _ command: StorageCommand, on record: Entity<StoredData>, from source: StorageSource? = nil
  ) async throws(StorageFailure) {
    do throws(TurnError<StorageRejection>) {
      try await record.perform(command) { [index] _ in
        if let source { index.attribute(record.id.key, to: source) }
      }
    } catch {
      throw StorageFailure(error)
    }
  }
}

extension StorageService: AlarmedHost {
  /// The files go, too.
  package func erase(_ phase: ErasurePhase, _ scope: ErasureScope) async throws {
    guard phase == .data else { return }
    for key in scope.keys(of: .stored).sorted() { _ = try await directory[key]?.perform(.erase) { _ in true } }
    await blobs.collect()
  }

  package var rearming: RearmPhase? { .owed }

  package func note(of data: borrowing StoredData) -> [UInt8] { StorageNote(data).bytes }
  package func restored(_ key: String, _ data: borrowing StoredData) { restored(key, StorageNote(data)) }

  package func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool {
    restored(key, try StorageNote(bytes: note))
    return true
  }

  package func restoredAll() async throws { try await blobs.sweep() }
}

package enum StorageTimer: Hashable, Sendable {
  case expiry
}

extension StorageFailure {
  init(_ error: TurnError<StorageRejection>) {
    self =
      switch error {
      case .rejected(.unknown): .unknown
      case .rejected(.unknownKey): .unknownKey
      case .rejected(.tooManyKeys(let limit)): .invalid(field: "keys", reason: "are more than \(limit)")
      case .rejected(.tooLarge(let limit)): .tooLarge(limit: limit)
      case .overloaded: .limitReached("journal")
      case .tooLarge: .limitReached("journal record")
      case .storageFull: .full
      case .failed: .unavailable
      }
  }

  init(_ error: BlobStore.Failure) {
    self =
      switch error {
      case .full: .full
      // It has just been deleted.
      case .unknown: .unknownKey
      case .damaged: .damaged
      case .unavailable: .unavailable
      }
  }
}
