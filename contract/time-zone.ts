// Time zones by their names in the IANA database.

export function isTimeZone(name: string): boolean {
  try {
    // Offsets such as +08:00 are refused: they have no name that a reader knows.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}
