// What stands on the edge finds here what all HTTP edges share.
@_exported public import HTTPKit
