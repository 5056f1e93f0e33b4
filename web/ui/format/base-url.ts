/** The address clients are pointed at: the configured server address, or where the console was opened. */

/** The untouched default says nothing about how the installation is reached from outside. */
const UNSET = ['', 'http://localhost:3000'];

export function serverAddress(configured: string | undefined, origin: string): string {
  const address = configured && !UNSET.includes(configured) ? configured : origin;
  return address.replace(/\/+$/, '');
}

export function baseUrl(configured: string | undefined, origin: string): string {
  return `${serverAddress(configured, origin)}/v1`;
}
