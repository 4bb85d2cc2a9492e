import EngineKit
import EntityRuntime
import EventSourcing
import PushDomain
import StorageDomain
public import StorageEngine
public import SupportDomain

// The files of comments: they lie in the storage, an upload for an hour, a comment's for good. Spec: support requests 8.
extension SupportService {
  private static let fileKey = "file"
  /// Beside it, the number of the user who uploaded it.
  private static let uploaderKey = "uploader"
  /// Whose agents' files are, and whose all were in earlier versions: this house's, as no `gms_user` can be called.
  private static let houseName = ReservedUserKey.prefix + "files"
  /// An upload that is in no comment.
  private static let uploadSeconds = 3_600
  /// As long as anybody can ask for.
  private static let keptFor = Duration.seconds(100 * 365 * 86_400)

  /// Whose a file is, by whose bounds: an end user may have so many of them and no more, in comments or not.
  private static func owner(_ actor: SupportActor) -> String {
    switch actor {
    case .endUser(let number, _): ReservedUserKey.of(number)
    case .agent: houseName
    }
  }

  /// Where the file of this token is. - Throws: `.notFound`, also for what apps have stored.
  private func place(_ token: String) throws(SupportFailure) -> StoragePlace {
    guard case .custom(_, let owner)? = storage.index.name(of: token), ReservedUserKey.isReserved(owner) else {
      throw .notFound
    }
    return .id(token, user: owner)
  }

  /// It is its uploader's until a comment of theirs takes it.
  /// - Parameter source: as far as the actor is a stranger's, whose share it takes.
  /// - Throws: `.quota` for an end user who has as much as one may have.
  public func upload(
    _ bytes: [UInt8], fileName: String, contentType: String, by actor: SupportActor, from source: StorageSource? = nil
  ) async throws(SupportFailure) -> SupportAttachment {
    try check(fileName, "filename", 1...Self.nameBytesMaximum)
    let isStranger = if case .endUser = actor { true } else { false }
    let token: String
    do throws(StorageFailure) {
      token = try await storage.create(
        [
          StorageUpload(Self.fileKey, .file(bytes, contentType: contentType, name: fileName)),
          StorageUpload(Self.uploaderKey, .text(String(actor.number))),
        ], seconds: min(Self.uploadSeconds, limits.storedSecondsMaximum), owner: Self.owner(actor),
        from: isStranger ? source : nil)
    } catch { throw SupportFailure(error) }
    return SupportAttachment(token: token, fileName: fileName, contentType: contentType, size: bytes.count)
  }

  /// - Throws: `.notFound` for one that is in a comment already, gone, or somebody else's.
  public func deleteUpload(_ token: String, by actor: SupportActor) async throws(SupportFailure) {
    guard let record = storage.directory[token], await Self.isUpload(record, of: actor, now: context.time.now) else {
      throw .notFound
    }
    let place = try place(token)
    do throws(StorageFailure) { try await storage.delete(place) } catch { throw SupportFailure(error) }
  }

  public func attachment(
    _ token: String
  ) async throws(SupportFailure) -> (bytes: [UInt8], attachment: SupportAttachment) {
    let place = try place(token)
    let file: StorageContent
    do throws(StorageFailure) { file = try await storage.file(Self.fileKey, of: place) } catch {
      throw SupportFailure(error)
    }
    let attachment = SupportAttachment(
      token: token, fileName: file.name ?? Self.fileKey, contentType: file.contentType, size: file.bytes.count)
    return (file.bytes, attachment)
  }

  /// What these uploads of the actor's are; they stay at least until the comment that names them is safe.
  func attachments(
    _ tokens: [String], of actor: SupportActor, _ bounds: SupportRequestLimits
  ) async throws(SupportFailure) -> [SupportAttachment] {
    guard tokens.count <= bounds.attachmentsMaximum else {
      throw .invalid(field: "comment.uploads", reason: "are more than \(bounds.attachmentsMaximum)")
    }
    var attachments: [SupportAttachment] = []
    for (place, token) in tokens.enumerated() where !tokens[..<place].contains(token) {
      guard let record = storage.directory[token], await Self.isUpload(record, of: actor, now: context.time.now),
        let file = await record.peek({ $0.files.first })
      else { throw .invalid(field: "comment.uploads[\(place)]", reason: "is no upload, or none any more") }
      let until = context.time.now.advanced(by: .seconds(Self.uploadSeconds))
      do { _ = try await record.perform(.renew(until: until)) { _ in } } catch {
        if case .storageFull = error { throw .storageFull }
        throw .unavailable
      }
      attachments.append(
        SupportAttachment(
          token: token, fileName: file.name ?? Self.fileKey, contentType: file.contentType, size: file.byteCount))
    }
    return attachments
  }

  /// A file of the actor's that nobody has put into a comment yet; not just any stored data.
  private static func isUpload(_ record: Entity<StoredData>, of actor: SupportActor, now: Timestamp) async -> Bool {
    let key = record.id.key
    return await record.peek { data in
      guard let end = data.expiresAt, end > now, data.name == .custom(id: key, user: owner(actor)),
        case .file? = data[fileKey], data[uploaderKey] == .text(String(actor.number))
      else { return false }
      return end < now.advanced(by: .seconds(2 * uploadSeconds))
    }
  }

  // MARK: What requests want

  /// Keeps the files of a comment for good, and says so.
  func keep(_ tokens: [String], for duty: PushID, of request: Entity<SupportRequest>) {
    later(of: request) { [self] in
      let until = context.time.now.advanced(by: Self.keptFor)
      for token in tokens {
        guard let record = storage.directory[token] else { continue }
        guard (try? await record.perform(.renew(until: until)) { _ in true }) != nil else { return false }
      }
      await request.post(.handedOver(number: duty.number))
      return true
    }
  }

  /// Ends the files of comments that were erased, and says so.
  func drop(_ tokens: [String], of request: Entity<SupportRequest>) {
    later(of: request) { [self] in
      for token in tokens {
        guard let record = storage.directory[token] else { continue }
        do throws(TurnError<StorageRejection>) {
          try await record.perform(.end(reason: "its request was erased")) { _ in }
        } catch {
          guard case .rejected = error else { return false }
        }
      }
      await request.post(.filesDropped)
      return true
    }
  }

  /// Does what waits for the disk, which effects must not; until it is done.
  private func later(of request: Entity<SupportRequest>, _ job: @escaping @Sendable () async -> Bool) {
    let context = context
    @Sendable func again() {
      _ = context.timers.schedule(afterMilliseconds: context.limits.storageRetryMilliseconds) { attempt() }
    }
    @Sendable func attempt() {
      let isSpawned = tasks.spawn { if await !job() { again() } }
      if !isSpawned { again() }
    }
    attempt()
  }
}
