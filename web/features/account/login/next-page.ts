/** Where to go after a login: the page asked for before, if it is one of ours; else the landing page of that login. */

export const LANDING = '/token';
/** WeChat and Telegram land on the home page. */
export const HOME_LANDING = '/';

/** Only a path of this site: anything that a browser could read as another host is refused. */
export function nextPage(next: string | undefined, landing = LANDING): string {
  // Printable characters only: browsers drop tabs and line breaks, and read a backslash as a slash.
  if (!next || !/^\/(?!\/)[!-[\]-~]*$/.test(next)) return landing;
  return /^\/(login|register|reset|oauth|user\/reset)(\W|$)/.test(next) ? landing : next;
}
