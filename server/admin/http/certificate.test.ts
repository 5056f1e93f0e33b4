// HTTPS on the public port, and certificates that are replaced while it serves.
import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { UPSTREAM_CERTIFICATE, UPSTREAM_KEY } from '#server/platform/egress/test-certificates.ts';
import { upstreamTls } from '#tests/bench/certificate.ts';
import { createListener, type Listener } from './listen.ts';
import { createLog } from '#server/platform/log.ts';

setDefaultTimeout(60_000);

const directory = mkdtempSync(join(tmpdir(), 'tollgate-certificate-'));
const certificateFiles = { certificate: join(directory, 'chain.pem'), key: join(directory, 'key.pem') };
const first = { cert: UPSTREAM_CERTIFICATE, key: UPSTREAM_KEY };
const second = { cert: upstreamTls.cert, key: upstreamTls.key };
const logged: string[] = [];
let listener: Listener | undefined;

function put({ cert, key }: { cert: string; key: string }): void {
  writeFileSync(certificateFiles.certificate, cert);
  writeFileSync(certificateFiles.key, key);
}

function listen(): Listener {
  put(first);
  const answerLater = async () => {
    begun.resolve();
    await released.promise;
    return new Response('later');
  };
  listener = createListener({
    hostname: '127.0.0.1',
    port: 0,
    sharedPort: false,
    certificateFiles,
    certificateLookMs: 50,
    routes: { '/address': async (_request, { address }) => new Response(address), '/later': answerLater },
    websocket: { message() {} },
    fetch: async (request) => new Response(new URL(request.url).protocol),
    addressOf: (_request, connection) => connection ?? '',
    mostPerAddress: () => 0,
    log: createLog({ level: 'info', write: (line) => logged.push(line) }),
  });
  return listener;
}

let begun = Promise.withResolvers<void>();
let released = Promise.withResolvers<void>();

afterEach(async () => {
  released.resolve();
  await listener?.close();
  released = Promise.withResolvers();
  begun = Promise.withResolvers();
  logged.length = 0;
});

/** The certificate that a new connection is shown. A connection that waits in the retired listener's queue
 *  when it closes is reset by the system: it was shown none, and a client connects again. */
async function shown(port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
    resolve(socket.getPeerCertificate().raw.toString('base64'));
    socket.end();
  });
  socket.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'ECONNRESET' ? resolve('none') : reject(error),
  );
  return await promise;
}

const base64Of = (pem: string) =>
  (/-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(pem)?.[1] ?? '').replaceAll(/\s/g, '');

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 400; round += 1) {
    if (await isTrue()) return;
    await Bun.sleep(50);
  }
  throw new Error('it did not happen');
}

const ask = async (path: string): Promise<string> => {
  const response = await fetch(`${listener?.url}${path}`, {
    tls: { rejectUnauthorized: false },
    keepalive: false,
  });
  return await response.text();
};

test('the port speaks HTTPS, and handlers get the address of the caller', async () => {
  const { url, port } = listen();
  expect(url).toBe(`https://127.0.0.1:${port}`);
  expect(await ask('/address')).toBe('127.0.0.1');
  expect(await ask('/other')).toBe('https:');
  expect(await shown(port)).toBe(base64Of(first.cert));
});

test('a renewed certificate is shown to new connections, and a running request ends as it began', async () => {
  const { port } = listen();
  const later = ask('/later');
  await begun.promise;
  put(second);
  await until(async () => (await shown(port)) === base64Of(second.cert));
  expect(await ask('/address')).toBe('127.0.0.1');
  released.resolve();
  expect(await later).toBe('later');
  expect(logged.join('')).toContain('the certificate was read again');
});

test('a pair that does not fit is refused, and the one before stays', async () => {
  const { port } = listen();
  put({ cert: second.cert, key: first.key });
  await until(() => logged.join('').includes('cannot be used'));
  expect(await shown(port)).toBe(base64Of(first.cert));
  put(second);
  await until(async () => (await shown(port)) === base64Of(second.cert));
});

test('the end waits for a request that the retired listener still has', async () => {
  const { port } = listen();
  const later = ask('/later');
  await begun.promise;
  put(second);
  await until(async () => (await shown(port)) === base64Of(second.cert));
  const closed = listener?.close();
  released.resolve();
  expect(await later).toBe('later');
  await closed;
});

test('TLS 1.2 offers forward secrecy and authenticated encryption only: no RSA key exchange, no CBC (S36)', async () => {
  const { port } = listen();
  const suiteOf = (ciphers: string) =>
    new Promise<string>((resolve) => {
      const options = {
        host: '127.0.0.1',
        port,
        rejectUnauthorized: false,
        maxVersion: 'TLSv1.2',
        ciphers,
      } as const;
      const socket = connect(options, () => {
        resolve(socket.getCipher().name);
        socket.end();
      });
      socket.on('error', () => resolve('refused'));
    });
  for (const old of [
    'AES128-SHA',
    'AES256-SHA',
    'AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-SHA',
    'ECDHE-ECDSA-AES128-SHA',
  ])
    expect([old, await suiteOf(old)]).toEqual([old, 'refused']);
  const modern = await suiteOf('ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256');
  expect(modern).toMatch(/^ECDHE-(RSA|ECDSA)-AES128-GCM-SHA256$/);
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));
