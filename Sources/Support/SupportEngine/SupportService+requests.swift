import ChatDomain
import ChatEngine
public import EngineKit
import EntityRuntime
public import EventSourcing
import OptionKit
public import SupportDomain

// Requests. Spec: support requests 8.
extension SupportService {
  // MARK: Making

  public func create(
    _ order: SupportRequestOrder, by actor: SupportActor
  ) async throws(SupportFailure) -> SupportRequestView {
    try admit(actor)
    let (requester, channel, app) = try await origin(of: order, by: actor)
    let terms = SupportRequestTerms(
      requester: requester, channel: channel, app: app, subject: Self.subject(of: order), formID: order.formID,
      metadata: order.metadata)
    return try await make(terms, order, by: actor)
  }

  /// Whose it is, and where it comes from: what an SDK's token makes is the SDK's. Spec: support requests 4.
  private func origin(
    of order: SupportRequestOrder, by actor: SupportActor
  ) async throws(SupportFailure) -> (Int64, SupportChannel, app: String?) {
    if case .endUser(let number, let app) = actor { return (number, .mobileSDK, app) }
    guard order.channel != .mobileSDK else { throw .invalid(field: "via.channel", reason: "is the SDK's own") }
    if let number = order.requester {
      guard index[user: number]?.identity?.role == .endUser else {
        throw .invalid(field: "requester_id", reason: "is no end user")
      }
      return (number, order.channel ?? .api, nil)
    }
    guard let email = order.requesterEmail else { throw .missing(field: "requester") }
    try check(email, "requester.email", 3...Self.nameBytesMaximum)
    return (try await contact(email: email, name: order.requesterName), order.channel ?? .api, nil)
  }

  /// A request of a chat's, with the chat's customer as requester. - Parameter chatID: the chat session id.
  public func create(
    fromChat chatID: String, subject: String?, comment: SupportCommentOrder?, by actor: SupportActor
  ) async throws(SupportFailure) -> SupportRequestView {
    guard case .agent = actor, let serviceID = chats.index.service(ofSession: chatID),
      let service = chats.index[serviceID]?.serviceName, let chat = chats.directory[serviceID]
    else { throw .notFound }
    let found: (position: Int, subject: String, name: String?, userKey: String?, email: String?)
    do throws(TurnError<ChatRejection>) {
      found = try await chat.read { chat in
        let email = chat.data.last { ["emailaddress", "email"].contains($0.name.lowercased()) }?.value
        return (chat.lastPosition, chat.subject, chat.parties.first?.nickname, chat.userKey, email)
      }
    } catch { throw SupportFailure(error) }
    var order = SupportRequestOrder()
    order.subject = subject ?? (found.subject.isEmpty ? "Chat" : found.subject)
    order.comment = comment ?? SupportCommentOrder()
    if order.comment.body.isEmpty {
      // Between agents: whoever knows the chat's id can speak in it.
      order.comment.body = "From the chat \(chatID), up to position \(found.position)."
      order.comment.isPublic = false
    }
    // What a chat's customer says of their address is nobody's word for it: never a user that an app vouches for.
    let requester = try await contact(
      id: found.email?.lowercased() ?? found.userKey ?? chatID, email: found.email, name: found.name)
    let transcript = SupportTranscript(
      serviceID: serviceID, chatID: chatID, position: found.position, service: service)
    return try await make(
      SupportRequestTerms(requester: requester, channel: .chat, subject: order.subject, transcript: transcript), order,
      by: actor)
  }

  private func make(
    _ terms: SupportRequestTerms, _ order: SupportRequestOrder, by actor: SupportActor
  ) async throws(SupportFailure) -> SupportRequestView {
    let bounds = current.request
    try check(terms.subject, "subject", 1...bounds.subjectBytesMaximum)
    try check(order.tags, order.fields, bounds)
    if let metadata = terms.metadata, metadata.count > bounds.metadataBytesMaximum {
      throw .invalid(field: "metadata", reason: "is longer than \(bounds.metadataBytesMaximum) bytes")
    }
    let comment = try await draft(order.comment, of: terms.requester, by: actor, bounds)
    let number = index.nextRequest()
    guard let request = requests.entity(String(number), limit: limits.supportRequestsMaximum) else {
      throw .limitReached("support_requests")
    }
    do throws(SupportFailure) {
      let view = try await perform(
        .create(terms, comment, tags: order.tags, fields: order.fields, reports: reports), on: request, for: actor.role)
      guard case .agent(let agent, let services) = actor else { return view }
      var change = SupportChange(by: .agent, author: agent)
      if let status = order.status, status != .new { change.status = status }
      // What an agent of some services makes outside of them is theirs: they would not find it again.
      if services != nil, view.terms.app == nil, terms.transcript == nil { change.assignee = agent }
      guard change.status != nil || change.assignee != nil else { return view }
      return try await perform(
        .change(change, notice: SupportNotice(), reports: reports, limits: bounds), on: request, for: actor.role)
    } catch {
      // Nothing of it is in the journal, unless only the status could not be set.
      if index.request(number) == nil { requests.remove(String(number)) }
      throw error
    }
  }

  private func contact(email: String, name: String?) async throws(SupportFailure) -> Int64 {
    if let known = index.number(ofEmail: email) { return known }
    return try await contact(id: email.lowercased(), email: email, name: name)
  }

  private func contact(id: String, email: String?, name: String?) async throws(SupportFailure) -> Int64 {
    let user = try entity(of: .contact(id))
    try await perform(.identify(SupportIdentity(key: .contact(id), name: name, email: email)), on: user) { _ in }
    return Int64(user.id.key) ?? 0
  }

  // MARK: Changing

  public func update(
    _ number: Int64, _ update: SupportUpdate, by actor: SupportActor
  ) async throws(SupportFailure) -> SupportRequestView {
    try admit(actor)
    let (request, note) = try await known(number, for: actor)
    let bounds = current.request
    try check(update.tags ?? [], update.fields, bounds)
    if let assignee = update.assignee, index[user: assignee]?.identity?.role != .agent {
      throw .invalid(field: "assignee_id", reason: "is no agent")
    }
    var change = SupportChange(by: actor.role, author: actor.number)
    change.status = update.status
    change.tags = update.tags
    change.fields = update.fields
    change.assignee = update.assignee
    var notice = SupportNotice()
    if let order = update.comment {
      let comment = try await draft(order, of: note.requester ?? 0, by: actor, bounds)
      change.comment = comment
      if comment.role == .agent, comment.isPublic { notice = await self.notice(for: note, number) }
    }
    return try await perform(
      .change(change, notice: notice, reports: reports, limits: bounds), on: request, for: actor.role)
  }

  /// - Parameter comment: up to this number, within the request; nil for the last.
  public func read(
    _ number: Int64, upTo comment: Int?, device: String?, by actor: SupportActor
  ) async throws(SupportFailure) {
    try admit(actor)
    let (request, _) = try await known(number, for: actor)
    let device = try await self.device(device, of: actor)
    _ = try await perform(.read(upTo: comment ?? .max, device: device), on: request, for: actor.role)
  }

  private func draft(
    _ order: SupportCommentOrder, of requester: Int64, by actor: SupportActor, _ bounds: SupportRequestLimits
  ) async throws(SupportFailure) -> SupportCommentDraft {
    guard !order.body.isEmpty else { throw .missing(field: "comment.body") }
    guard order.body.utf8.count <= bounds.commentBytesMaximum else {
      throw .invalid(field: "comment.body", reason: "is longer than \(bounds.commentBytesMaximum) bytes")
    }
    var (author, role) = (actor.number, actor.role)
    if case .agent = actor, let other = order.author, other != author {
      guard let identity = index[user: other]?.identity, identity.role == .agent || other == requester else {
        throw .invalid(field: "comment.author_id", reason: "is neither an agent nor the requester")
      }
      (author, role) = (other, identity.role)
    }
    var draft = SupportCommentDraft(author: author, role: role, body: order.body)
    draft.isPublic = role == .endUser || order.isPublic
    draft.attachments = try await attachments(order.uploads, of: actor, bounds)
    return draft
  }

  private func check(
    _ tags: [String], _ fields: [SupportField], _ bounds: SupportRequestLimits
  ) throws(SupportFailure) {
    guard tags.count <= bounds.tagsMaximum else {
      throw .invalid(field: "tags", reason: "are more than \(bounds.tagsMaximum)")
    }
    for tag in tags { try check(tag, "tags", 1...bounds.tagBytesMaximum) }
    guard fields.count <= bounds.fieldsMaximum else {
      throw .invalid(field: "custom_fields", reason: "are more than \(bounds.fieldsMaximum)")
    }
    guard fields.allSatisfy({ $0.value.count <= bounds.fieldBytesMaximum }) else {
      throw .invalid(field: "custom_fields", reason: "hold more than \(bounds.fieldBytesMaximum) bytes in one value")
    }
  }

  /// The subject, or the beginning of the first line.
  private static func subject(of order: SupportRequestOrder) -> String {
    guard order.subject.isEmpty else { return order.subject }
    let line = order.comment.body.drop(while: \.isWhitespace).prefix { !$0.isNewline }
    let printable = line.filter { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }
    return printable.count > 80 ? printable.prefix(79) + "…" : String(printable)
  }

  // MARK: Looking

  /// Newest first. - Returns: one page, and how many there are in all.
  public func requests(
    _ query: SupportQuery, for actor: SupportActor
  ) async throws(SupportFailure) -> (views: [SupportRequestView], count: Int) {
    try admit(actor)
    var query = query
    switch actor {
    case .endUser(let number, _): query.requester = number
    case .agent(_, let services): query.actor = services == nil ? nil : actor
    }
    let numbers = index.requests(query)
    let size = max(1, min(query.perPage, limits.listMaximum))
    let (start, isBeyond) = (max(1, query.page) - 1).multipliedReportingOverflow(by: size)
    guard !isBeyond, start < numbers.count else { return ([], numbers.count) }
    return (try await views(numbers[start..<min(start + size, numbers.count)], for: actor.role), numbers.count)
  }

  /// Newest first: one page behind the request with the number `after`, as an agent's list has them.
  /// - Parameter limit: `EngineLimits.agentListMaximum` caps it.
  public func requests(
    _ query: SupportQuery, after: Int64?, limit: Int, for actor: SupportActor
  ) async throws(SupportFailure) -> ListPage<SupportRequestView> {
    try admit(actor)
    var query = query
    query.actor = actor
    let size = max(1, min(limit, limits.agentListMaximum))
    let numbers = index.requests(query, after: after, limit: size + 1)
    let page = numbers.prefix(size)
    return ListPage(
      elements: try await views(page, for: actor.role), next: numbers.count > size ? page.last.map { "\($0)" } : nil)
  }

  /// Those of these that there are, and that the asker may see.
  public func requests(
    numbers: [Int64], for actor: SupportActor
  ) async throws(SupportFailure) -> [SupportRequestView] {
    try admit(actor)
    var visible: [Int64] = []
    for number in numbers.prefix(limits.listMaximum) where (try? await known(number, for: actor)) != nil {
      visible.append(number)
    }
    return try await views(visible[...], for: actor.role)
  }

  public func request(_ number: Int64, for actor: SupportActor) async throws(SupportFailure) -> SupportRequestView {
    try admit(actor)
    _ = try await known(number, for: actor)
    guard let view = try await views([number], for: actor.role).first else { throw .notFound }
    return view
  }

  /// - Parameters:
  ///   - since: those made after this moment, in whole seconds: what is shown of both is compared.
  ///   - role: those by this side only.
  ///   - device: the identifier of the asker's device that now has read them.
  public func comments(
    of number: Int64, since: Timestamp?, role: SupportRole?, readOn device: String?, for actor: SupportActor
  ) async throws(SupportFailure) -> SupportCommentList {
    try admit(actor)
    let (request, _) = try await known(number, for: actor)
    let device = try await self.device(device, of: actor)
    let viewer = actor.role
    let found = await requests.peek(String(number)) { request -> (SupportRequestView, [SupportComment])? in
      guard let view = SupportRequestView(request, number: number, for: viewer) else { return nil }
      let visible = viewer == .agent ? request.comments : request.publicComments
      return (
        view,
        visible.filter { comment in
          (since.map { comment.createdAt.wholeSeconds > $0.wholeSeconds } ?? true)
            && (role == nil || comment.role == role)
        }
      )
    }
    guard let (view, comments) = found ?? nil else { throw .notFound }
    if let device, let last = comments.last?.number {
      _ = try await perform(.read(upTo: last, device: device), on: request, for: viewer)
    } else {
      try await untilDurable()
    }
    var authors: [Int64] = []
    for comment in comments where !authors.contains(comment.author) { authors.append(comment.author) }
    return SupportCommentList(request: view, comments: comments, users: await users(authors, for: viewer))
  }

  /// Requests of the asker's with news, computed anew each time. - Parameter device: nil for the user as such.
  public func news(for actor: SupportActor, device: String?) async throws(SupportFailure) -> [SupportNews] {
    try admit(actor)
    let device = try await self.device(device, of: actor)
    let user = actor.number
    var query = SupportQuery()
    query.requester = user
    var news: [SupportNews] = []
    for number in index.requests(query).prefix(limits.listMaximum) {
      let unread = await requests.peek(String(number)) { request in
        let last = request.reads.first { $0.device == device }?.comment ?? 0
        return request.comments.count { $0.isPublic && $0.author != user && $0.number > last }
      }
      if let unread, unread > 0 { news.append(SupportNews(request: number, unread: unread)) }
    }
    try await untilDurable()
    return news
  }

  public func users(_ numbers: some Sequence<Int64>, for role: SupportRole) async -> [SupportUserView] {
    numbers.compactMap { number in
      guard let identity = index[user: number]?.identity else { return nil }
      return SupportUserView(
        number: number, name: name(of: identity), email: role == .agent ? identity.email : nil,
        isAgent: identity.role == .agent)
    }
  }

  /// What others see of somebody's name.
  func name(of identity: SupportIdentity) -> String {
    if let name = identity.name, !name.isEmpty { return name }
    if case .agent(let name) = identity.key { return name }
    return identity.email ?? "Anonymous"
  }

  // MARK: Parts

  var reports: Bool { options.current.support[SupportOptions.keys.eventsURL] != nil }

  /// Not by the index, which follows a moment after the request is durable: it says itself whether it is there.
  /// - Throws: `.notFound` also for another's.
  func known(
    _ number: Int64, for actor: SupportActor
  ) async throws(SupportFailure) -> (request: Entity<SupportRequest>, note: SupportRequestNote) {
    guard let request = requests[String(number)],
      let note = await requests.peek(String(number), { SupportRequestNote($0) }), note.requester != nil,
      actor.sees(note)
    else { throw .notFound }
    return (request, note)
  }

  /// The id of the asker's live device. - Throws: `.invalid` if there is none.
  func device(_ identifier: String?, of actor: SupportActor) async throws(SupportFailure) -> Int? {
    guard let identifier else { return nil }
    let spellings = try spellings(identifier, "device")
    let device = index[user: actor.number]?.devices.first { spellings.contains($0.key.identifier) }
    guard let device else { throw .invalid(field: "device", reason: "is none of the user's") }
    return device.id
  }

  private func views(
    _ numbers: ArraySlice<Int64>, for role: SupportRole
  ) async throws(SupportFailure) -> [SupportRequestView] {
    var views: [SupportRequestView] = []
    for number in numbers {
      // What sleeps is looked at where it lies.
      let view = await requests.peek(String(number)) { SupportRequestView($0, number: number, for: role) }
      if let view = view ?? nil { views.append(view) }
    }
    try await untilDurable()
    return views
  }

  func perform(
    _ command: SupportRequestCommand, on request: Entity<SupportRequest>, for role: SupportRole
  ) async throws(SupportFailure) -> SupportRequestView {
    let number = Int64(request.id.key) ?? 0
    let view: SupportRequestView?
    do throws(TurnError<SupportRequestRejection>) {
      view = try await request.perform(command) { SupportRequestView($0, number: number, for: role) }
    } catch {
      switch error {
      case .rejected(.unknown): throw .notFound
      case .rejected(let rejection): throw .request(rejection)
      default: throw SupportFailure(error)
      }
    }
    guard let view else { throw .notFound }
    return view
  }
}
