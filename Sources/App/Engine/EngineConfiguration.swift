package import AuditEngine
public import Bayeux
public import CometEngine
import EngineKit
public import EntityRuntime
package import FileEngine
public import Journal
import MessagingEngine
public import StorageDomain
public import SystemPackage

/// What the engine is told at start.
public struct EngineConfiguration: Sendable {
  /// The journal lives in `journal` below it.
  public var dataDirectory: FilePath
  public var options = Options()
  public var sessionSettings = SessionSettings()
  public var cometExtensions = CometExtensions()
  public var browserSettings = BrowserSettings()
  public var channelLimits = ChannelLimits()
  public var limits = EngineLimits()
  public var storageLimits = StorageLimits()
  public var messaging = MessagingSettings()
  /// Runs the command that looks at files of chats; nil: if the options name one, no file is taken.
  package var fileScanner: (any FileScanner)?
  /// Reaches the witnesses of the journal's checkpoints.
  package var witnesses: any WitnessCaller = NoWitnesses()
  /// Called as soon as an authenticated standby has told that another server has taken over: nothing may be acknowledged
  /// any more, and the process is to end at once.
  public var onRelieved: @Sendable (_ description: String) -> Void = { _ in }
  /// Whether an app server may ever come for what devices send to this sender: others' messages are not kept.
  public var isSender: @Sendable (_ sender: String) -> Bool = { _ in true }
  public var runtimeLimits = RuntimeLimits()
  public var journal = JournalConfiguration()
  /// A Comet session that was shaken with a browser cookie is found only with it.
  public var requiresCookie = false
  /// Every `gms_user` that the edge hands in has been proven. Comet sessions are then found only by their proven user.
  public var requiresProof = false
  public var housekeeping = HousekeepingSettings()
  /// Which partition an entity lies in.
  package var placement = Placement.single
  public var standby = StandbySettings()
  /// The decimal before the dash of service ids.
  public var nodeNumber = 1
  /// Lanes that carry jobs from event loops and timers to entities. Few: a lane that is busy needs no waking.
  public var laneCount = 1

  public init(dataDirectory: FilePath) { self.dataDirectory = dataDirectory }

  var node: NodeConfiguration {
    var node = NodeConfiguration(options: options, limits: limits)
    node.number = nodeNumber
    node.laneCount = laneCount
    return node
  }

  var partition: PartitionConfiguration {
    var partition = PartitionConfiguration(dataDirectory: dataDirectory)
    partition.journal = journal
    partition.runtimeLimits = runtimeLimits
    partition.housekeeping = housekeeping
    partition.standby = standby
    return partition
  }
}
