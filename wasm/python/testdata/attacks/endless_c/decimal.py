# what: a division of decimals with a precision of ten to the ninth digits
# expect: outcome=timeout|error
import decimal
decimal.getcontext().prec = decimal.MAX_PREC
decimal.getcontext().Emax = decimal.MAX_EMAX
decimal.getcontext().Emin = decimal.MIN_EMIN
decimal.Decimal(1) / 7
