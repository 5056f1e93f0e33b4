// Units of time in seconds, and the clock.
export const MINUTE_SECONDS = 60;
export const HOUR_SECONDS = 3600;
export const DAY_SECONDS = 86_400;

/** The time in whole Unix seconds. */
export const unixSeconds = (): number => Math.floor(Date.now() / 1000);
