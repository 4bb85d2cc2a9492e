public import ChatEngine
public import SupportDomain

/// Something has happened to a support request, which looks like this now.
public struct SupportRequestNews: AgentNews {
  public let change: SupportRequestChange
  public let view: SupportRequestView
}
