import Dispatch
import Foundation
import InPractice

/// Ends the program after the disconnection.
final class FinalEar: Ear {
  private let printer = PrintingEar()

  func hear(_ event: Event) {
    printer.hear(event)
    switch event {
    case .disconnected: exit(0)
    case .connectionFailed: exit(1)
    default: return
    }
  }
}

let central = PracticeCentral(ear: FinalEar(), queue: .main)
dispatchMain()
