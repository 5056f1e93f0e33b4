// Texts from outside, as the database takes them.

/** PostgreSQL stores neither NUL nor half a character. A charge must not fail because an upstream sent one in a name. */
export function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\uFFFD') : whole;
}
