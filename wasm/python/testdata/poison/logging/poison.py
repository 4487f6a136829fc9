import logging
logging.basicConfig(level=10)
logging.getLogger().name = "pwned"
logging.disable(50)
