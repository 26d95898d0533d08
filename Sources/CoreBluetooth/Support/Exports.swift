// Whoever imports Apple's framework has Foundation, too: so sources need not differ.
@_exported import Foundation
