import CallbackDomain
import CallbackEngine
import ChatDomain
import ChatEngine
import EntityRuntime
import EventSourcing
import OptionKit
import StorageDomain
import StorageEngine

/// The data that service instances have of themselves: what was attached when they were made, and since.
struct ServiceInstances: InstanceData {
  let chats: ChatService
  let callbacks: CallbackService

  /// It opens as its chat does, and as its callback.
  func data(of id: String, for caller: StorageCaller) async -> [StoredPair]? {
    if case .customer(let userKey) = caller, await callbacks.opens(id, to: userKey) == false { return nil }
    if let chat = chats.directory[id] {
      let policy = chats.policy(of: id)
      return await chat.peek { chat in
        chat.opens(to: caller.chat, policy) ? chat.data.map { StoredPair($0.name, .text($0.value)) } : nil
      }
    }
    guard callbacks.serviceName(of: id) != nil else { return nil }
    return (try? await callbacks.view(id))?.request.fields.map { StoredPair($0.name, .text($0.value)) }
  }

  func hasFile(_ id: String, inChatOf instance: String) async -> Bool { await chats.hasFile(id, of: instance) }

  func seconds(of id: String) -> Int {
    let seconds = Int(chats.option(ChatOptions.keys.timeToLive, of: id).components.seconds)
    return min(max(seconds, 60), StorageService.secondsMaximum)
  }
}

extension StorageCaller {
  fileprivate var chat: ChatCaller {
    switch self {
    case .house: .house
    case .customer(let userKey): .customer(userKey: userKey)
    }
  }
}
