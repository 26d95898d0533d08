print("eightball")
