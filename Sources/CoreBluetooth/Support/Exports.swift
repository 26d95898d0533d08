// Apple's framework exports Foundation too, so sources need no further import.
@_exported import Foundation
