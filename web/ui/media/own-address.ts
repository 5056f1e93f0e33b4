/** Files that the server passes on are loaded from the host of this page, since the site may have several names. */
const OWN = /^\/(?:mj\/image|media)\//;

export function shownAddress(address: string): string {
  const url = URL.parse(address, 'http://here');
  return url !== null && OWN.test(url.pathname) ? url.pathname + url.search : address;
}

/** Only files of this host can be read by scripts. */
export const isOwnAddress = (address: string): boolean => shownAddress(address).startsWith('/');
