import Dispatch
import InPractice

let peripheral = PracticePeripheral(ear: PrintingEar(), queue: .main)
dispatchMain()
