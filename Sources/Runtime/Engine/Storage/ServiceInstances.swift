import CallbackDomain
import ChatDomain
import EntityRuntime
import StorageDomain

/// The data that service instances have of themselves: what was attached when they were made, and since.
struct ServiceInstances: Sendable {
  let chats: ChatService
  let callbacks: CallbackService

  /// Nil if there is no such instance, or none for this caller: it opens as its chat does, and as its callback.
  func data(of id: String, for caller: ChatCaller) async -> [StoredPair]? {
    if case .customer(let userKey) = caller, await callbacks.opens(id, to: userKey) == false { return nil }
    if let chat = chats.directory[id] {
      let policy = chats.policy(of: id)
      return await chat.peek { chat in
        chat.opens(to: caller, policy) ? chat.data.map { StoredPair($0.name, .text($0.value)) } : nil
      }
    }
    guard callbacks.serviceName(of: id) != nil else { return nil }
    return (try? await callbacks.view(id))?.request.fields.map { StoredPair($0.name, .text($0.value)) }
  }

  /// How long data of its own lives before it is looked whether the instance does. Spec: GMS 8.3, `_ttl`.
  func seconds(of id: String) -> Int {
    chats.option("_ttl", of: id).flatMap { Int($0) }.map { min(max($0, 60), StorageService.secondsMaximum) } ?? 86_400
  }
}
