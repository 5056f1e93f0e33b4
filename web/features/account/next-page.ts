/** Where to go after a login: the page asked for before, if it is one of ours; else the tokens. */

export const LANDING = '/token';

/** Only a path of this site: anything that a browser could read as another host is refused. */
export function nextPage(next: string | undefined): string {
  // Printable characters only: browsers drop tabs and line breaks, and read a backslash as a slash.
  if (!next || !/^\/(?!\/)[!-[\]-~]*$/.test(next)) return LANDING;
  return /^\/(login|register)(\W|$)/.test(next) ? LANDING : next;
}
