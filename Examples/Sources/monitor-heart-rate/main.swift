// Prints the first three rates of the first heart-rate sensor, by the app's code of the package HeartRate.
import HeartRate

let monitor = HeartRateMonitor()
for await rate in monitor.rates.prefix(3) { print(rate) }
