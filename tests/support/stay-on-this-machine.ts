// Loaded before every test file (bunfig.toml): a test that asks a name server for another name than this machine's, or
// connects to another machine, fails. Processes that a test starts get the same limit as EGRESS_ALLOW.
import { afterEach, mock } from 'bun:test';
import * as dns from 'node:dns';
import * as dnsPromises from 'node:dns/promises';
import { isLoopback, LOOPBACK_HOSTS } from './loopback.ts';

process.env['EGRESS_ALLOW'] = LOOPBACK_HOSTS;

const left: string[] = [];

function requireLoopback(how: string, host: string): void {
  if (isLoopback(host)) return;
  left.push(`${how} ${host}`);
  throw Object.assign(new Error(`a test may not leave this machine: ${how} ${host}`), { code: 'ENOTFOUND' });
}

const { lookup } = dnsPromises;
void mock.module('node:dns/promises', () => ({
  ...dnsPromises,
  lookup: async (host: string, options: dns.LookupAllOptions) => {
    requireLoopback('resolved', host);
    return await lookup(host, options);
  },
}));

const fetchAnywhere = globalThis.fetch;
const fetchHere = async (input: string | URL | Request, init?: BunFetchRequestInit): Promise<Response> => {
  const url = URL.parse(input instanceof Request ? input.url : String(input));
  // Through a socket file it goes to a process of this machine, whatever name the address has.
  if (url !== null && /^https?:$/.test(url.protocol) && init?.unix === undefined)
    requireLoopback('connected to', url.hostname);
  return await fetchAnywhere(input, init);
};
globalThis.fetch = Object.assign(fetchHere, { preconnect: fetchAnywhere.preconnect });

afterEach(() => {
  const found = left.splice(0);
  if (found.length > 0) throw new Error(`a test may not leave this machine: it ${found.join(', ')}`);
});

/** What was tried since the last look; only the test of this file may take it. */
export const takeTries = (): string[] => left.splice(0);
