public import Bayeux
public import Engine
import OptionKit

extension LoadedConfiguration {
  /// The options that the engine looks up: what the sources set, without the built-in values.
  public var options: Options { Options(sections: sections, texts: texts) }

  /// Times and bounds of each Comet session.
  public var sessionSettings: SessionSettings { SessionSettings(ofServer: self) }

  /// Extensions of the protocol that are on.
  public var cometExtensions: CometExtensions { CometExtensions(self) }

  /// What browsers may do at the Comet endpoint.
  public var browserSettings: BrowserSettings { BrowserSettings(self) }

  /// Bounds of application channels.
  public var channelLimits: ChannelLimits { ChannelLimits(self) }

  public var engineLimits: EngineLimits { EngineLimits(self) }

  /// What one registration or topic may be sent.
  public var messagingSettings: MessagingSettings { MessagingSettings(self) }
}
