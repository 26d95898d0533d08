import Foundation

extension NSError {
  /// What Apple's systems print of an error: its domain, its code and `sentence`, and then what else
  /// is known of it.
  func summary(_ sentence: String?) -> String {
    let more = userInfo.sorted { $0.key < $1.key }
      .map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
    return "Error Domain=\(domain) Code=\(code) \"\(sentence ?? "(null)")\""
      + (more.isEmpty ? "" : " UserInfo={\(more)}")
  }
}
