/// A port that says whether a ball keeps figures.
public protocol MetricsPort: ~Copyable {
  /// What the ball keeps its figures in: `NoMetrics` unless the port says otherwise.
  associatedtype Metrics: MetricStore = NoMetrics
}
