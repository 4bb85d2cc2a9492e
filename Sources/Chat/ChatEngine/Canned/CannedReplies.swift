public import ChatDomain
public import EngineKit
package import EntityRuntime
import EventSourcing

/// Texts that staff keep to say them again. Each call returns once what it did is durable.
///
/// An agent has their own, by the name of their token; what is shared belongs to supervisors and operators, and is there for
/// all. What is somebody else's own is not there.
public final class CannedReplies: Sendable {
  /// Whose they are.
  public enum Scope: String, Sendable, CaseIterable { case own, shared }

  /// Who have any.
  private static let ownersMaximum = 100_000

  package let directory: EntityDirectory<CannedReplyBook>
  private let identifiers: Identifiers

  init(_ directory: EntityDirectory<CannedReplyBook>, identifiers: Identifiers) {
    self.directory = directory
    self.identifiers = identifiers
  }

  // MARK: Operations

  /// All that somebody may use, in the order of the shortcuts, their own first.
  /// - Parameter language: only those that suit it; nil for all.
  /// - Throws: `.invalid` for what is no language, `.limitReached`, `.unavailable`.
  public func list(for holder: CannedReplyHolder, language: String? = nil) async throws(EngineError) -> [ScopedReply] {
    let language = try language.map(Self.normalized)
    var found: [ScopedReply] = []
    for scope in holder.scopes {
      guard let book = directory[holder.key(scope)] else { continue }
      let replies: [CannedReply]
      do throws(TurnError<CannedReplyRejection>) { replies = try await book.read(\.replies) } catch {
        throw EngineError(error)
      }
      found += replies.map { ScopedReply($0, scope) }
    }
    return found.filter { language.map($0.reply.content.suits) ?? true }.sorted()
  }

  /// - Throws: `CannedReplyRejection` as `.refused`, `.invalid`, `.limitReached`, `.storageFull`, `.unavailable`.
  public func add(
    _ draft: CannedReplyDraft, to scope: Scope, by holder: CannedReplyHolder
  ) async throws(EngineError) -> ScopedReply {
    try holder.require(scope)
    // Before there is a book: one that was made for nothing would stay.
    let content = try content(of: draft)
    guard let book = directory.entity(holder.key(scope), limit: Self.ownersMaximum) else {
      throw .limitReached("owners of canned replies")
    }
    let id = identifiers.uuid()
    return try await perform(.add(id: id, content, by: holder.name), on: book, id, scope)
  }

  /// Puts another one in the place of one.
  public func change(
    _ id: String, to draft: CannedReplyDraft, by holder: CannedReplyHolder
  ) async throws(EngineError) -> ScopedReply {
    let (book, scope) = try await find(id, for: holder)
    return try await perform(.change(id: id, try content(of: draft), by: holder.name), on: book, id, scope)
  }

  public func remove(_ id: String, by holder: CannedReplyHolder) async throws(EngineError) {
    let (book, _) = try await find(id, for: holder)
    do throws(TurnError<CannedReplyRejection>) {
      try await book.perform(.remove(id: id, by: holder.name)) { _ in }
    } catch { throw EngineError(error) }
  }

  // MARK: Parts

  private typealias Book = Entity<CannedReplyBook>

  /// One that the holder may change. - Throws: what they are told of any other.
  private func find(_ id: String, for holder: CannedReplyHolder) async throws(EngineError) -> (Book, Scope) {
    for scope in holder.scopes {
      guard let book = directory[holder.key(scope)], await book.peek({ $0.holds(id) }) else { continue }
      try holder.require(scope)
      return (book, scope)
    }
    throw .refused(CannedReplyRejection.unknown)
  }

  private func perform(
    _ command: CannedReplyCommand, on book: Book, _ id: String, _ scope: Scope
  ) async throws(EngineError) -> ScopedReply {
    let reply: CannedReply?
    do throws(TurnError<CannedReplyRejection>) { reply = try await book.perform(command) { $0[id] } } catch {
      throw EngineError(error)
    }
    guard let reply else { throw .refused(CannedReplyRejection.unknown) }
    return ScopedReply(reply, scope)
  }

  private func content(of draft: CannedReplyDraft) throws(EngineError) -> CannedReplyContent {
    let language = try draft.language.map(Self.normalized)
    do { return try CannedReplyContent(shortcut: draft.shortcut, language: language, text: draft.text) } catch {
      throw .refused(error)
    }
  }

  private static func normalized(_ language: String) throws(EngineError) -> String {
    guard let tag = TextTable.normalized(language) else {
      throw .invalid(field: "language", reason: "is not the tag of a language")
    }
    return tag
  }
}

extension CannedReplyRejection: Refusal {}

/// What somebody wants a canned reply to be.
public struct CannedReplyDraft: Sendable, Equatable {
  public var shortcut: String
  public var language: String?
  public var text: String

  public init(shortcut: String, language: String? = nil, text: String) {
    self.shortcut = shortcut
    self.language = language
    self.text = text
  }
}

/// A canned reply, and whose it is.
public struct ScopedReply: Sendable, Equatable {
  public let reply: CannedReply
  public let scope: CannedReplies.Scope

  init(_ reply: CannedReply, _ scope: CannedReplies.Scope) {
    self.reply = reply
    self.scope = scope
  }
}

extension ScopedReply: Comparable {
  public static func < (left: ScopedReply, right: ScopedReply) -> Bool { left.place < right.place }

  private var place: (Int, String, String, String) {
    (scope == .own ? 0 : 1, reply.content.shortcut, reply.content.language ?? "", reply.id)
  }
}

// MARK: Entities

extension CannedReplies: EntityHost {
  package var rearming: RearmPhase? { nil }
  package func perform(_ effects: [Never], of book: Entity<CannedReplyBook>) async {}
}
