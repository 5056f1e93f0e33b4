/** The base URL for clients: the configured server address, or the origin of the console. */

/** The default address is not reachable from outside, so it is ignored. */
const UNSET = ['', 'http://localhost:3000'];

export function serverAddress(configured: string | undefined, origin: string): string {
  const address = configured && !UNSET.includes(configured) ? configured : origin;
  return address.replace(/\/+$/, '');
}

export function baseUrl(configured: string | undefined, origin: string): string {
  return `${serverAddress(configured, origin)}/v1`;
}
