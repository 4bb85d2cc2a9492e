import EntityRuntime
import EventSourcing
import PushDomain
import StorageDomain
public import SupportDomain

// The files of comments: they lie in the storage, an upload for an hour, a comment's for good. Spec: support requests 8.
extension SupportService {
  private static let fileKey = "file"
  /// As no `gms_user` can be called.
  private static let owner = SupportUserKey.prefix + "files"
  /// An upload that is in no comment.
  private static let uploadSeconds = 3_600
  /// As long as anybody can ask for.
  private static let keptFor = Duration.seconds(100 * 365 * 86_400)

  public func upload(
    _ bytes: [UInt8], fileName: String, contentType: String
  ) async throws(SupportFailure) -> SupportAttachment {
    try check(fileName, "filename", 1...Self.nameBytesMaximum)
    let token: String
    do throws(StorageFailure) {
      token = try await storage.create(
        [StorageUpload(Self.fileKey, .file(bytes, contentType: contentType, name: fileName))],
        seconds: Self.uploadSeconds, owner: Self.owner)
    } catch { throw SupportFailure(error) }
    return SupportAttachment(token: token, fileName: fileName, contentType: contentType, size: bytes.count)
  }

  /// - Throws: `.notFound` for one that is in a comment already, or gone.
  public func deleteUpload(_ token: String) async throws(SupportFailure) {
    guard let record = storage.directory[token], await Self.isUpload(record, now: context.time.now) else {
      throw .notFound
    }
    do throws(StorageFailure) { try await storage.delete(.id(token, user: Self.owner)) } catch {
      throw SupportFailure(error)
    }
  }

  public func attachment(
    _ token: String
  ) async throws(SupportFailure) -> (bytes: [UInt8], attachment: SupportAttachment) {
    let file: StorageContent
    do throws(StorageFailure) { file = try await storage.file(Self.fileKey, of: .id(token, user: Self.owner)) } catch {
      throw SupportFailure(error)
    }
    let attachment = SupportAttachment(
      token: token, fileName: file.name ?? Self.fileKey, contentType: file.contentType, size: file.bytes.count)
    return (file.bytes, attachment)
  }

  /// What these uploads are; they stay at least until the comment that names them is safe.
  func attachments(
    _ tokens: [String], _ bounds: SupportRequestLimits
  ) async throws(SupportFailure) -> [SupportAttachment] {
    guard tokens.count <= bounds.attachmentsMaximum else {
      throw .invalid(field: "comment.uploads", reason: "are more than \(bounds.attachmentsMaximum)")
    }
    var attachments: [SupportAttachment] = []
    for (place, token) in tokens.enumerated() where !tokens[..<place].contains(token) {
      guard let record = storage.directory[token], await Self.isUpload(record, now: context.time.now),
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

  /// A file that nobody has put into a comment yet; not just any stored data.
  private static func isUpload(_ record: Entity<StoredData>, now: Timestamp) async -> Bool {
    let key = record.id.key
    return await record.peek { data in
      guard let end = data.expiresAt, end > now, data.name == .custom(id: key, user: owner),
        case .file? = data[fileKey]
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
