// Names that another site reports. A person can write anything there, so a name is shown as plain text only.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

export const BOUND_NAME_CHARACTERS = 64;

/** Without control and format characters, which break lines or make a text look like another, and cut to `most` characters. */
export function plainName(text: string, most: number): string {
  return Array.from(text.replaceAll(UNPRINTABLE, '').trim()).slice(0, most).join('').trimEnd();
}
