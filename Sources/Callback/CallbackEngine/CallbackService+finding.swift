import CallbackDomain
public import EngineKit
import EventSourcing
import OptionKit

// Queries, the operator's view, cancelling several. Spec: GMS 9.5.
extension CallbackService {
  /// In the order of their times.
  /// - Parameter isOpen: whether the seeker may look into a service.
  /// - Throws: `.invalid` for a customer's query that names no key with its value, and for an operator's that names
  ///   none, where too many would have to be looked into.
  public func find(
    _ query: CallbackQuery, for seeker: CallbackSeeker = .customer(userKey: nil),
    inServices isOpen: (_ service: String) -> Bool = { _ in true }
  ) async throws(EngineError) -> ListPage<CallbackView> {
    if let service = query.service, !options.current.hasCallbackService(service) { throw .unknownServiceName(service) }
    if case .customer = seeker { try requireKey(query) }
    let start = try Self.place(query.after, "_after")
    let keys = try candidates(query)
    let found = try await views(keys) { view in
      isOpen(view.request.serviceName) && (start.map { $0 < Self.place(of: view) } ?? true)
        && isFound(view, by: seeker) && query.admits(view)
    }
    let page = found.sorted { Self.place(of: $0) < Self.place(of: $1) }.prefix(limit(query.limit))
    return ListPage(
      elements: Array(page), next: found.count > page.count ? page.last.map { Self.place(of: $0).cursor } : nil)
  }

  private func limit(_ asked: Int) -> Int { max(1, min(asked, limits.listMaximum)) }

  private static func place(_ after: String?, _ field: String) throws(EngineError) -> CallbackIndex.Place? {
    guard let after else { return nil }
    guard let place = CallbackIndex.Place(cursor: after) else {
      throw .invalid(field: field, reason: ListPage<CallbackView>.noCursor)
    }
    return place
  }

  /// A list is the operator's: nobody else learns of callbacks whose number, or other key, they do not know.
  private func requireKey(_ query: CallbackQuery) throws(EngineError) {
    let areKeys = query.conditions.map { !$0.isNegated && !$0.value.isEmpty && isKey($0.name, in: query.service) }
    // Of alternatives each has to be one, or the others would list what the one does not find.
    guard query.needsOneOnly ? !areKeys.isEmpty && areKeys.allSatisfy(\.self) : areKeys.contains(true) else {
      throw .invalid(
        field: zip(query.conditions, areKeys).first { !$1 }?.0.name ?? "_customer_number",
        reason: "does not name a callback: say which by a key such as _customer_number=5551234")
    }
  }

  /// Whether it is a field that the callbacks of this service, or of any, are found by. The access code is not: it has
  /// so few digits that one could try them all.
  private func isKey(_ name: String, in service: String?) -> Bool {
    if name == "_id" { return true }
    let services = service.map { [$0] } ?? options.current.serviceNames
    return services.contains { options.current.lookupKeys(ofCallback: $0).all.contains(name) }
  }

  private func isFound(_ view: CallbackView, by seeker: CallbackSeeker) -> Bool {
    guard case .customer(let userKey) = seeker else { return true }
    let request = view.request
    guard request.user == nil else { return request.opens(to: userKey) }
    return request.isUserKeyMade && options.current.callback(request.serviceName)[CallbackOptions.keys.isQueryOpen]
  }

  /// The callbacks that may fit: by a value that they are found by if the query names one, else by what the index knows.
  private func candidates(_ query: CallbackQuery) throws(EngineError) -> [String] {
    let sets = query.conditions.map { condition -> Set<String>? in
      if condition.isNegated { return nil }
      switch condition.name {
      case "_id": return index[condition.value] == nil ? [] : [condition.value]
      case "_access_code": return index.keys(condition.name, condition.value)
      default: return isKey(condition.name, in: query.service) ? index.keys(condition.name, condition.value) : nil
      }
    }
    if query.needsOneOnly {
      let known = sets.compactMap(\.self)
      if !known.isEmpty, known.count == sets.count { return known.reduce(into: Set()) { $0.formUnion($1) }.sorted() }
    } else if let smallest = sets.compactMap(\.self).min(by: { $0.count < $1.count }) {
      return smallest.sorted()
    }
    let most = limits.callbacksLookedInto
    let keys = index.keys(from: Timestamp(milliseconds: 0), to: Timestamp(milliseconds: .max), limit: most + 1) {
      query.mayAdmit($0, $1)
    }
    guard keys.count <= most else {
      throw .invalid(
        field: query.conditions.first?.name ?? "operand",
        reason: "fits more than \(most) callbacks: name a key such as _customer_number")
    }
    return keys
  }

  /// The callbacks of all services, or of one, whose time lies in a window; in the order of their times.
  /// Spec: GMS 9.5, admin/callback/queues.
  public func queues(_ filter: CallbackQueueFilter) async throws(EngineError) -> ListPage<CallbackView> {
    if let service = filter.service, !options.current.hasCallbackService(service) { throw .unknownServiceName(service) }
    let limit = limit(filter.limit)
    // One more than is wanted says whether there are more.
    let places = index.places(
      from: filter.from, to: filter.to, after: try Self.place(filter.after, "after"), limit: limit + 1
    ) {
      (filter.service == nil || $1.serviceName == filter.service)
        && (filter.statuses.isEmpty || filter.statuses.contains($1.status))
    }
    let page = places.prefix(limit)
    let found = try await views(page.map(\.key)) {
      filter.statuses.isEmpty || filter.statuses.contains($0.status)
    }
    return ListPage(elements: found, next: places.count > limit ? page.last?.cursor : nil)
  }

  /// - Returns: for each id in its order nil if it was cancelled, else why not.
  public func cancel(_ ids: [String], reason: String) async -> [(id: String, failure: EngineError?)] {
    var results: [(id: String, failure: EngineError?)] = []
    for id in ids {
      do throws(EngineError) {
        _ = try await cancel(id, note: reason)
        results.append((id, nil))
      } catch { results.append((id, error)) }
    }
    return results
  }

  private static func place(of view: CallbackView) -> CallbackIndex.Place {
    CallbackIndex.Place(time: view.request.desiredTime ?? view.createdAt, key: view.id)
  }
}

extension CallbackQuery {
  /// As far as the index knows.
  func mayAdmit(_ id: String, _ note: CallbackNote) -> Bool {
    guard service == nil || note.serviceName == service else { return false }
    let answers = conditions.map { condition -> Bool in
      switch condition.name {
      case "_id": (id == condition.value) != condition.isNegated
      case "_service_name": (note.serviceName == condition.value) != condition.isNegated
      case "_callback_state": (note.status.name == condition.value) != condition.isNegated
      default: true
      }
    }
    return needsOneOnly && !answers.isEmpty ? answers.contains(true) : answers.allSatisfy { $0 }
  }

  func admits(_ view: CallbackView) -> Bool {
    guard service == nil || view.request.serviceName == service else { return false }
    let answers = conditions.map { (view.value(of: $0.name) == $0.value) != $0.isNegated }
    return needsOneOnly && !answers.isEmpty ? answers.contains(true) : answers.allSatisfy { $0 }
  }
}

extension CallbackView {
  fileprivate func value(of name: String) -> String? {
    switch name {
    case "_id": id
    case "_service_name": request.serviceName
    case "_callback_state": status.name
    case "_callback_reason": reason?.name
    case "_access_code": request.accessCode
    default: request[name]
    }
  }
}
