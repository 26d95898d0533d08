import Foundation

extension NSError {
  /// An error as Apple's systems print it: its domain, its code, `sentence` and its user
  /// information.
  func summary(_ sentence: String?) -> String {
    let more = userInfo.sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
    return "Error Domain=\(domain) Code=\(code) \"\(sentence ?? "(null)")\""
      + (more.isEmpty ? "" : " UserInfo={\(more)}")
  }
}
