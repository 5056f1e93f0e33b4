// The hosts of this machine: all that tests, the demo and the benchmarks may reach.
export const LOOPBACK_HOSTS = 'localhost,127.0.0.0/8,::1';

export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}
