package import EngineKit
package import PushDomain

/// Which options a push has.
package struct PushOptionKey: Hashable, Sendable {
  let provider: String?
  let tag: String
  let debug: Bool
}

/// Every option of a push, made once: each push asks for some dozens, and apps name providers.
package typealias PushOptionCache = OptionCache<PushOptionKey, PushOptions>

extension PushOptionCache {
  convenience init(of store: OptionStore) {
    self.init(store) { options, key in
      PushOptions(options.push(provider: key.provider, tag: key.tag, debug: key.debug))
    }
  }

  package func options(provider: String?, tag: String, debug: Bool) -> PushOptions {
    self[PushOptionKey(provider: provider, tag: tag, debug: debug)]
  }
}
