/// The one of `names` that a person probably meant; `nil` if none is near, or if several are equally near.
///
/// The distance counts characters that are missing or too many, so that "pi4" is nearer to "pi-4b"
/// than to "pi-5". At most half of the characters of `text` and one more may differ.
public func nearestName(to text: String, among names: [String]) -> String? {
  let limit = text.count / 2 + 1
  let distances = names.map { distance(text, $0) }
  guard let least = distances.min(), least <= limit,
    let index = distances.firstIndex(of: least), distances.lastIndex(of: least) == index
  else { return nil }
  return names[index]
}

/// How many characters have to be deleted and inserted to make one text of the other.
private func distance(_ text: String, _ other: String) -> Int {
  let target = Array(other)
  // For each prefix of `target`, the distance from what has been read of `text`.
  var row = Array(0...target.count)
  for (index, character) in text.enumerated() {
    var diagonal = row[0]
    row[0] = index + 1
    for column in target.indices {
      let above = row[column + 1]
      row[column + 1] =
        character == target[column] ? diagonal : min(above, row[column]) + 1
      diagonal = above
    }
  }
  return row[target.count]
}
