// Callers who send as slowly as they can: they lose their connection, and nobody else notices.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEdge, Peers, type Edge } from './index.ts';
import { BodyPace } from './patience.ts';

const directory = mkdtempSync(join(tmpdir(), 'edge-slow-'));
const patience = { headMilliseconds: 600, bodyMilliseconds: 1200, lingerMilliseconds: 500 };
/** The connections are looked at once a second. */
const sweepMilliseconds = 1000;
/** For a machine with other things to do. */
const slackMilliseconds = 2500;
const many = 100;
let edge: Edge;

beforeAll(() => {
  edge = openEdge({
    hostname: '127.0.0.1',
    port: 0,
    sharedPort: false,
    fast: (path) =>
      path === '/fast'
        ? async (request) => ({ status: 200, headers: {}, body: `read ${(await request.text()).length}` })
        : () => ({ status: 401, headers: {}, body: 'no' }),
    unix: join(directory, 'nobody'),
    peers: new Peers(),
    bodyLimitBytes: 1024 * 1024,
    patience,
    onFault: () => undefined,
  });
});
afterAll(async () => {
  await edge.close(1000);
  rmSync(directory, { recursive: true });
});

interface Dripping {
  /** How long the other side bore it. */
  lastedMilliseconds: number;
  answer: string;
}

/** Sends the start, and then a byte of the rest every now and then until the other side hangs up. */
function drip(start: string, rest: string, everyMilliseconds: number): Promise<Dripping> {
  const { promise, resolve } = Promise.withResolvers<Dripping>();
  const begun = performance.now();
  let answer = '';
  let sent = 0;
  const socket: Socket = connect({ port: edge.port, host: '127.0.0.1' }, () => socket.write(start));
  const timer = setInterval(() => {
    const next = rest[sent];
    sent += 1;
    if (next !== undefined && socket.writable) socket.write(next);
  }, everyMilliseconds);
  const end = () => {
    clearInterval(timer);
    socket.destroy();
    resolve({ lastedMilliseconds: performance.now() - begun, answer });
  };
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString('latin1');
    if (answer.includes('read ')) end();
  });
  for (const event of ['end', 'close', 'error']) socket.on(event, end);
  return promise;
}

const head = (length: number) => `POST /fast HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

async function quickCall(): Promise<number> {
  const begun = performance.now();
  const response = await fetch(`http://127.0.0.1:${edge.port}/fast`, { method: 'POST', body: 'quick' });
  expect(await response.text()).toBe('read 5');
  return performance.now() - begun;
}

describe('D1 slow callers', () => {
  test('a head and a body that come byte by byte are given up, however steadily, while others are served', async () => {
    const heads = Array.from({ length: many }, () =>
      drip('POST /fast HTTP/1.1\r\nHost: x\r\nX-', 'a'.repeat(10_000), 100),
    );
    const bodies = Array.from({ length: many }, () => drip(head(10_000), 'b'.repeat(10_000), 100));
    for (let round = 0; round < 20; round += 1) expect(await quickCall()).toBeLessThan(slackMilliseconds);
    const ends = await Promise.all([...heads, ...bodies]);
    const bearable = patience.bodyMilliseconds + sweepMilliseconds + slackMilliseconds;
    for (const { answer, lastedMilliseconds } of ends) {
      expect(answer).toBe('');
      expect(lastedMilliseconds).toBeLessThan(bearable);
    }
    expect(await quickCall()).toBeLessThan(slackMilliseconds);
  }, 30_000);

  test('one who keeps sending after a refusal is cut off, having seen it', async () => {
    const start = head(1_000_000_000).replace('/fast', '/refused');
    const { answer, lastedMilliseconds } = await drip(start, 'c'.repeat(100_000), 5);
    expect(answer).toStartWith('HTTP/1.1 401');
    expect(lastedMilliseconds).toBeLessThan(
      patience.lingerMilliseconds + sweepMilliseconds + slackMilliseconds,
    );
  }, 30_000);

  test('a body that is slow but comes to its end in time is read', async () => {
    const { answer } = await drip(head(5), 'abcde', 50);
    expect(answer).toEndWith('read 5');
  });

  test('a large body at a modest pace gets its time; the same time without bytes is not given', () => {
    const pace = new BodyPace({ ...patience, bodyMilliseconds: 1000 });
    const atOnce = pace.deadlineAfter(0);
    const megabyte = pace.deadlineAfter(1024 * 1024);
    expect(megabyte - atOnce).toBeGreaterThan(60_000);
    expect(pace.deadlineAfter(1) - megabyte).toBeLessThan(1);
  });
});
