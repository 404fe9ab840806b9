# Carry life expectancy forward: per country a straight line through its last figures, with the range in which four of
# five future figures should fall. Base R only. forecast.py does the same where there is no R.
# Params: last (figures the line goes through), rounds (figures ahead), every (years between figures).
# Output: countries, horizon. Writes forecast.csv.

param <- function(key, default) {
  text <- Sys.getenv(paste0("PROC_PARAM_", toupper(key)))
  if (nzchar(text)) as.numeric(text) else default
}
output <- function(key, value) cat(sprintf("::process-output %s=%s::\n", key, value))

folder <- Sys.getenv("PROC_ARTIFACTS")
last <- param("last", 6)
ahead <- param("every", 5) * seq_len(param("rounds", 2))
figures <- read.csv(file.path(folder, "consolidated.csv"), stringsAsFactors = FALSE)

carry_forward <- function(country) {
  series <- tail(country[order(country$year), ], last)
  if (nrow(series) < 3) stop(series$country[1], ": a line needs at least three figures")
  line <- lm(lifeExp ~ year, data = series)
  years <- data.frame(year = max(series$year) + ahead)
  expected <- predict(line, years, interval = "prediction", level = 0.8)
  data.frame(country = series$country[1], year = years$year, round(expected, 3), row.names = NULL)
}

forecast <- do.call(rbind, lapply(split(figures, figures$country), carry_forward))
names(forecast) <- c("country", "year", "lifeExp", "low", "high")
forecast <- forecast[order(forecast$country, forecast$year, method = "radix"), ]

whole <- file.path(folder, "forecast.csv")
part <- file.path(folder, paste0(".forecast.", Sys.getpid()))
write.csv(forecast, part, row.names = FALSE)
invisible(file.rename(part, whole))

cat(sprintf("%s: %.1f years in %d (%.1f to %.1f)\n",
            forecast$country, forecast$lifeExp, as.integer(forecast$year), forecast$low, forecast$high), sep = "")
output("countries", length(unique(forecast$country)))
output("horizon", max(forecast$year))
