// Control characters in input. PostgreSQL stores no NUL, and no text that people enter has the others: they are refused once,
// for every string of the contract, with the name of the field. Tabs and line breaks are text.

/** `\u0000`–`\u001f` without tab and line breaks, and delete. */
const CONTROL = new RegExp(String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]`);

export const hasControlCharacter = (text: string): boolean => CONTROL.test(text);

/** The path of the first string or name of a member that has one, such as `body.name` without `body`; undefined: none. */
export function controlCharacterIn(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return hasControlCharacter(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (hasControlCharacter(name)) return path;
    const found = controlCharacterIn(member, path === '' ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
