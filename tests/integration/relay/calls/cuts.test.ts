// M20 on the public port: callers leave in every way and at every point, and each call is charged for its prompt and for
// the delivered part of its answer. TOLLGATE_CUTS sets how many leave (`npm run test:chaos`: a thousand).
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { forEachDatabase, type DatabaseLabel } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startMockUpstream, type Behaviour, type MockUpstream } from '#mock/upstream/index.ts';
import { behaviourMessage, type ServedRequest } from '#mock/upstream/index.ts';
import { startRunClock } from '#tests/support/run-clock.ts';
import { dice } from '#tests/support/random.ts';
import { contentPieces, sendCall } from './caller.ts';
import { eventually } from './harness.ts';

const cuts = Number(process.env['TOLLGATE_CUTS'] ?? 100);
const callersAtOnce = 10;
/** Longer than any caller here stays. */
const outputTokens = 400;
/** A head and some sixty events. */
const farthestByte = 14_000;
const abortMilliseconds = 1000;

setDefaultTimeout(60_000 + cuts * 500);

/** What a caller had read when it left, and the time. */
interface Cut {
  tag: string;
  way: string;
  seen: number;
  /** The bytes the gateway wrote, where the caller could still read them. */
  written: number | undefined;
  leftAtMilliseconds: number;
}

type Leave = (call: Awaited<ReturnType<typeof sendCall>>) => Promise<Omit<Cut, 'tag' | 'way'>>;

interface Way {
  behaviour: Behaviour;
  leave: Leave;
}

const randomBelow = (limit: number) => Math.floor(dice.next() * limit);

/** Resets the connection, possibly with unread bytes. */
function reset(atByte: number): Way {
  return {
    behaviour: { chunkDelayMilliseconds: 2 },
    async leave(call) {
      await call.untilBytes(atByte);
      const seen = contentPieces(call.body());
      const leftAtMilliseconds = Date.now();
      call.socket.resetAndDestroy();
      return { seen, written: undefined, leftAtMilliseconds };
    },
  };
}

/** Closes its sending side and reads the rest: every byte of the gateway is seen. */
function halfClose(atByte: number): Way {
  return {
    behaviour: { chunkDelayMilliseconds: 2 },
    async leave(call) {
      await call.untilBytes(atByte);
      const seen = contentPieces(call.body());
      const leftAtMilliseconds = Date.now();
      call.socket.end();
      await call.over;
      const written = contentPieces(call.body());
      call.socket.destroy();
      return { seen, written, leftAtMilliseconds };
    },
  };
}

/** The upstream pauses after this many pieces; the caller leaves when it has read all of them. */
function boundary(pieces: number): Way {
  return {
    // The first event has the role and no content.
    behaviour: { stall: { afterEvents: pieces + 1, milliseconds: 600_000 } },
    async leave(call) {
      await call.untilBody((body) => body.includes('\n\n') && contentPieces(body) >= pieces);
      const seen = contentPieces(call.body());
      const leftAtMilliseconds = Date.now();
      call.socket.resetAndDestroy();
      return { seen, written: seen, leftAtMilliseconds };
    },
  };
}

const ways: Readonly<Record<string, () => Way>> = {
  'reset at once': () => reset(0),
  reset: () => reset(randomBelow(farthestByte)),
  halfClose: () => halfClose(randomBelow(farthestByte)),
  boundary: () => boundary(randomBelow(60)),
};
const wayNames = Object.keys(ways);

forEachDatabase((database: DatabaseLabel) => {
  describe('M20 the caller leaves', () => {
    let app: TestApplication;
    let mock: MockUpstream;
    // A thousand run on SQLite, the database of most installations; both databases share all code above the ledger.
    const count = database === 'sqlite' ? cuts : Math.ceil(cuts / 5);

    beforeAll(async () => {
      mock = startMockUpstream();
      app = await startApplication({ database });
      await addChannel(app.store, { base_url: mock.url, models: ['gpt-4o'] });
    });
    afterAll(async () => {
      await app.close();
      await mock.stop();
    });

    const rowsOf = (tokenId: number): Promise<Row<'logs'>[]> =>
      app.store.db.selectFrom('logs').selectAll().where('token_id', '=', tokenId).orderBy('id').execute();

    async function newCaller(): Promise<{ userId: number; tokenId: number; key: string }> {
      const user = await app.actor({ quota: 100_000_000 });
      const [token] = await app.client(user).tokens.create({ body: { name: 'cuts', unlimited_quota: true } });
      const row = await app.store.db
        .selectFrom('tokens')
        .select('id')
        .where('user_id', '=', user.id)
        .executeTakeFirstOrThrow();
      return { userId: user.id, tokenId: row.id, key: `sk-${token?.key}` };
    }

    const request = (tag: string, behaviour: Behaviour) => ({
      model: 'gpt-4o',
      stream: true,
      messages: [{ role: 'user', content: behaviourMessage({ tag, outputTokens, ...behaviour }) }],
    });

    const servedAs = (tag: string): Promise<ServedRequest | undefined> =>
      eventually(
        () => mock.requests.find((each) => each.tag === tag),
        (record) => record !== undefined && record.ending !== 'open',
      );

    async function cutOne(key: string, tag: string, name: string): Promise<Cut> {
      const way = ways[name]?.() ?? reset(0);
      const call = await sendCall(app.port, '/v1/chat/completions', key, request(tag, way.behaviour));
      // A request that the gateway has not sent to the upstream yet costs nothing; that is another case.
      await eventually(
        () => mock.requests.some((each) => each.tag === tag),
        (isThere) => isThere,
      );
      return { tag, way: name, ...(await way.leave(call)) };
    }

    test(`${count} times at random points: each is charged its prompt and what was delivered, the upstream closed within a second (plan M20)`, async () => {
      let next = 0;
      let exact = 0;
      const halfCloses = { all: 0, exact: 0 };
      let slowestMilliseconds = 0;
      using clock = startRunClock();
      async function callAndLeave(): Promise<void> {
        const { userId, tokenId, key } = await newCaller();
        let quota = 0;
        for (let calls = 1; next < count; calls += 1) {
          const number = next;
          next += 1;
          const name = wayNames[number % wayNames.length] ?? '';
          const cut = await cutOne(key, `cut-${String(number).padStart(6, '0')}`, name);
          const rows = await eventually(
            () => rowsOf(tokenId),
            (all) => all.length >= calls,
          );
          expect(rows).toHaveLength(calls);
          const row = rows.at(-1);
          const served = await servedAs(cut.tag);
          if (row === undefined || served === undefined) throw new Error(`${cut.tag} was not charged`);
          expect(served.ending, cut.tag).toBe('aborted');
          const closedAfter = clock.between(cut.leftAtMilliseconds, served.endedAtMilliseconds);
          expect(closedAfter).toBeLessThan(abortMilliseconds);
          slowestMilliseconds = Math.max(slowestMilliseconds, closedAfter);

          const facts = `${cut.way} ${cut.tag}: saw ${cut.seen}, written ${cut.written}`;
          expect(row.completion_tokens, facts).toBeGreaterThanOrEqual(cut.written ?? cut.seen);
          // The platform may drop what was flushed in the turn of the event loop in which it notices the close.
          const mostTokens = cut.way === 'halfClose' ? served.outputTokensWritten : cut.written;
          expect(row.completion_tokens, facts).toBeLessThanOrEqual(mostTokens ?? served.outputTokensWritten);
          if (cut.written !== undefined) exact += 1;
          if (cut.way === 'halfClose') {
            halfCloses.all += 1;
            if (row.completion_tokens === cut.written) halfCloses.exact += 1;
          }
          expect(row).toMatchObject({ type: 2, estimated: 1, is_stream: 1 });
          expect(JSON.parse(row.other)).toMatchObject({ ending: 'client_left' });
          // The prompt is the gateway's estimate; the upstream's count shows that it is close.
          const guessed = row.prompt_tokens / served.usage.inputTokens;
          expect(guessed, facts).toBeWithin(0.7, 1.5);
          expect(row.quota).toBe(Math.round(row.prompt_tokens * 1.25 + row.completion_tokens * 5));
          quota += row.quota;
        }
        await app.ledger.writeHolds();
        const user = await app.store.db
          .selectFrom('users')
          .select(['quota', 'used_quota', 'held_quota'])
          .where('id', '=', userId)
          .executeTakeFirstOrThrow();
        expect(user).toEqual({ quota: 100_000_000 - quota, used_quota: quota, held_quota: 0 });
      }
      await Promise.all(Array.from({ length: callersAtOnce }, callAndLeave));
      expect(exact).toBeGreaterThanOrEqual(Math.floor(count / 2));
      expect(halfCloses.exact).toBeGreaterThan(halfCloses.all / 2);
      faultSeen('M20', `${database}: ${count} cuts, slowest close of the upstream ${slowestMilliseconds} ms`);
      await expectNothingHeld();
      if (process.env['TOLLGATE_CUTS'] !== undefined)
        process.stderr.write(
          `${database}: ${count} cuts, ${exact} exact, slowest abort ${slowestMilliseconds} ms\n`,
        );
    });

    test('after the last word but before the end it is charged every word; after the end exactly the reported usage', async () => {
      const { tokenId, key } = await newCaller();
      const before = boundary(outputTokens);
      const early = await sendCall(
        app.port,
        '/v1/chat/completions',
        key,
        request('before-end', before.behaviour),
      );
      expect((await before.leave(early)).seen).toBe(outputTokens);
      const [first] = await eventually(
        () => rowsOf(tokenId),
        (all) => all.length === 1,
      );
      expect(first).toMatchObject({ completion_tokens: outputTokens, estimated: 1 });

      const late = await sendCall(app.port, '/v1/chat/completions', key, request('after-end', {}));
      await late.untilBody((body) => body.endsWith('data: [DONE]\n\n'));
      // The caller read the end, so the charge is already booked.
      const [, second] = await rowsOf(tokenId);
      late.socket.resetAndDestroy();
      expect(second).toMatchObject({ completion_tokens: outputTokens, estimated: 0 });
      const served = await servedAs('after-end');
      expect(second?.prompt_tokens).toBe(served?.usage.inputTokens ?? -1);
      await expectNothingHeld();
      expect(await rowsOf(tokenId)).toHaveLength(2);
    });

    async function expectNothingHeld(): Promise<void> {
      await app.ledger.writeHolds();
      expect(await app.store.db.selectFrom('holds').select('id').execute()).toEqual([]);
      expect(await checkInvariants(app.store)).toEqual([]);
    }
  });
});
