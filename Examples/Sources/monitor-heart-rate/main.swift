// Prints rates of the first heart-rate sensor, by the app's code of the package HeartRate: three, or as many as the
// command line says, or fewer if the sensor disconnects.
import HeartRate

let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 3
let monitor = HeartRateMonitor()
for await rate in monitor.rates.prefix(count) { print(rate) }
