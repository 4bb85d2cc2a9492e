import Engine

extension ServiceAccess {
  init(engine: Engine) {
    self.init(options: engine.options) { [chats = engine.chats, callbacks = engine.callbacks] instance in
      if let name = callbacks.serviceName(of: instance) { return name }
      return try await chats.serviceName(of: instance)
    }
  }
}
