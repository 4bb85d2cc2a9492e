import AuditEngine
import CallbackEngine
import ChatEngine
import CometEngine
import ConsoleEngine
public import EngineKit
import FileEngine
import MessagingEngine
import NotificationEngine
import PushEngine
import StandbyEngine
import StorageEngine
import SupportEngine

extension Catalogue {
  /// What this server can do: the one list.
  package static let features: [any Feature.Type] = [
    CometGateway.self, PushFeature.self, ChatFeature.self, MessagingService.self, CallbackFeature.self,
    NotificationService.self, StorageService.self, FileService.self, SupportService.self, ConsoleService.self,
    Redactions.self, EvidenceService.self, StandbyService.self,
  ]

  /// Every kind, each declared by its capability.
  public static let carillon = Catalogue(features.flatMap { $0.kinds })
}
