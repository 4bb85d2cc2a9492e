// Whoever imports the server gets all that it is made of.

@_exported public import AuditEngine
@_exported public import CallbackEngine
@_exported public import ChatEngine
@_exported public import CometEngine
@_exported public import ConsoleEngine
@_exported public import EngineKit
@_exported public import FileEngine
@_exported public import MessagingEngine
@_exported public import NotificationEngine
@_exported public import PushEngine
@_exported public import StandbyEngine
@_exported public import StorageEngine
@_exported public import SupportEngine
