/** Where to go after a login: the requested page if it is on this site, else the landing page of that login. */

export const LANDING = '/token';
/** WeChat and Telegram land on the home page. */
export const HOME_LANDING = '/';

/** Only a path of this site: refuses every form that a browser could read as another host. */
export function nextPage(next: string | undefined, landing = LANDING): string {
  // Printable characters only: browsers drop tabs and line breaks, and read a backslash as a slash.
  if (!next || !/^\/(?!\/)[!-[\]-~]*$/.test(next)) return landing;
  return /^\/(login|register|reset|oauth|user\/reset)(\W|$)/.test(next) ? landing : next;
}
