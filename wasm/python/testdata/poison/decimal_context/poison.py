import decimal
decimal.getcontext().prec = 3
decimal.DefaultContext.prec = 3
