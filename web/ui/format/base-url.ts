/** The base URL for clients: the configured server address, or the origin of the console. */

/** The default address (http://localhost and the server's port) is not reachable from outside, so it is ignored. */
const UNSET = /^(?:http:\/\/localhost(?::\d+)?\/*)?$/;

export function serverAddress(configured: string | undefined, origin: string): string {
  const address = configured && !UNSET.test(configured) ? configured : origin;
  return address.replace(/\/+$/, '');
}

export function baseUrl(configured: string | undefined, origin: string): string {
  return `${serverAddress(configured, origin)}/v1`;
}
