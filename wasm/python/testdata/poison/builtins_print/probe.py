print("heard")
