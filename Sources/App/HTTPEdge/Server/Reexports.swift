// What stands on the edge finds here what all HTTP edges share, and what it is to tell messaging's.
@_exported public import HTTPKit
@_exported public import MessagingAPI
