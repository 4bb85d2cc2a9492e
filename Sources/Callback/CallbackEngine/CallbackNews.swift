public import CallbackDomain
public import ChatEngine

/// Something has happened to a callback, which looks like this now.
public struct CallbackNews: AgentNews {
  public let change: CallbackChange
  public let view: CallbackView
}
