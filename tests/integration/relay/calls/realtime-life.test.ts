// How long a realtime session lives: its time limit, the end of its caller's rights, faults of the ledger, and checkpoints.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { LedgerUnavailableError } from '#server/money/ledger/ledger.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { startRunClock } from '#tests/support/run-clock.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';
import { openRealtime, patience, userText, type RealtimeCaller } from './realtime-caller.ts';

setDefaultTimeout(60_000);

const balance = 100_000_000;
const never = 600_000;
const ask = { type: 'response.create', response: { output_modalities: ['text'] } };
const endless = { outputTokens: 100_000, chunkDelayMilliseconds: 20 };

forEachDatabase((database) => {
  let relay: RelayHarness;
  let token: TestToken;

  async function begin(options: Parameters<typeof startRelay>[0] = {}): Promise<void> {
    relay = await startRelay({ database, ...options });
    await relay.channel();
    token = await relay.token({ quota: balance });
  }
  afterEach(() => relay[Symbol.asyncDispose]());

  async function answered(behaviour: object, headers: Record<string, string> = {}): Promise<RealtimeCaller> {
    relay.mock.behave(behaviour);
    const caller = await openRealtime(relay.url, token.key, headers);
    caller.send(userText('Tell me everything.'));
    caller.send(ask);
    await caller.until('response.output_text.delta', 3);
    return caller;
  }

  async function expectSettled(caller: RealtimeCaller, ending: string): Promise<Row<'logs'>> {
    const row = await relay.lastLog(token.userId);
    expect(row).toMatchObject({ type: 2, estimated: 1 });
    expect(JSON.parse(row.other)).toMatchObject({ ending });
    expect(row.completion_tokens).toBe(caller.count('response.output_text.delta'));
    expect(row.quota).toBe(2 * row.prompt_tokens + 8 * row.completion_tokens);
    expect(row.prompt_tokens).toBeGreaterThan(0);
    expect(await relay.userRow(token.userId)).toMatchObject({ quota: balance - row.quota, held_quota: 0 });
    expect(await relay.logs(token.userId)).toHaveLength(1);
    expect(await relay.holds()).toBe(0);
    expect(await checkInvariants(relay.store)).toEqual([]);
    return row;
  }

  const holdRow = async (): Promise<Row<'holds'> | undefined> => {
    await relay.ledger.writeHolds();
    return await relay.store.db.selectFrom('holds').selectAll().executeTakeFirst();
  };

  test('a session of transcription reaches the upstream as one, without a model that OpenAI refuses (W37)', async () => {
    await begin();
    const query = 'model=gpt-realtime&intent=transcription';
    const caller = await openRealtime(relay.url, token.key, {}, query);
    caller.leave();
    await caller.closed;
    expect(relay.mock.requests.at(-1)?.body).toEqual({ intent: 'transcription' });
  });

  test('M2c a session ends at the time limit of a call, inside the life of its hold, with a clear error', async () => {
    await begin({ timeouts: { totalSeconds: 4 } });
    const caller = await answered(endless);
    const hold = await holdRow();
    const { code, reason } = await caller.closed;
    expect({ code, reason }).toEqual({ code: 1001, reason: 'session_expired' });
    expect(Date.now() / 1000).toBeLessThan(hold?.expires_at ?? 0);
    expect(caller.events.at(-1)).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', code: 'session_expired' },
    });
    await expectSettled(caller, 'expired');
    // The recovery of expired holds finds nothing to charge a second time.
    expect(await relay.ledger.recover()).toBe(0);
    expect(await relay.logs(token.userId)).toHaveLength(1);
  });

  describe('M2d a caller that may no longer call gets no more, and pays for what was delivered', () => {
    type Change = (table: 'tokens' | 'users', values: object) => Promise<void>;
    const change: Change = async (table, values) => {
      const id = table === 'tokens' ? token.id : token.userId;
      await relay.store.db.updateTable(table).set(values).where('id', '=', id).execute();
      await relay.store.changes.announce(table);
    };
    beforeEach(() => begin());

    test.each<[string, 'tokens' | 'users', () => object, string]>([
      ['the user is banned', 'users', () => ({ status: 2 }), 'user_disabled'],
      ['the user is deleted', 'users', () => ({ deleted_at: 1 }), 'user_disabled'],
      ['the token is disabled', 'tokens', () => ({ status: 2 }), 'token_disabled'],
      ['the token is deleted', 'tokens', () => ({ deleted_at: 1 }), 'invalid_api_key'],
      [
        'the token expires',
        'tokens',
        () => ({ expired_time: Math.floor(Date.now() / 1000) + 2 }),
        'token_expired',
      ],
      [
        'the model is no longer allowed',
        'tokens',
        () => ({ model_limits_enabled: 1, model_limits: 'gpt-4o' }),
        'model_not_allowed',
      ],
      [
        'the address is no longer allowed',
        'tokens',
        () => ({ allow_ips: '10.9.8.7' }),
        'address_not_allowed',
      ],
    ])('%s', async (_what, table, values, error) => {
      const caller = await answered(endless, { 'X-Forwarded-For': '10.1.2.3' });
      using clock = startRunClock();
      const changedAt = Date.now();
      await change(table, values());
      const closed = await Promise.race([caller.closed, Bun.sleep(patience)]);
      expect(closed).toEqual({ code: 1008, reason: error });
      expect(clock.between(changedAt, Date.now())).toBeLessThan(8000);
      expect(caller.events.at(-1)).toMatchObject({ type: 'error', error: { code: error } });
      await expectSettled(caller, 'revoked');
      const [served] = relay.mock.requests;
      expect(
        await eventually(
          () => served?.ending,
          (ending) => ending !== 'open',
        ),
      ).not.toBe('open');
    });

    test('a change that allows the caller ends nothing', async () => {
      const caller = await answered(endless);
      await change('tokens', { model_limits_enabled: 1, model_limits: 'gpt-4o,gpt-realtime' });
      await change('users', { display_name: 'renamed' });
      expect(await Promise.race([caller.closed, Bun.sleep(3500).then(() => 'open')])).toBe('open');
      caller.leave();
      await caller.closed;
    });
  });

  test('M2b checkpoints follow the session: the input as it begins, then what was delivered', async () => {
    await begin();
    const caller = await answered({ outputTokens: 60, stall: { afterEvents: 50, milliseconds: never } });
    await caller.until('response.output_text.delta', 50);
    const hold = await eventually(
      holdRow,
      (row) => (row?.checkpoint ?? '').includes('"completionTokens":50'),
      patience,
    );
    const checkpoint = JSON.parse(hold?.checkpoint ?? '{}') as Record<string, number>;
    expect(checkpoint).toMatchObject({ completionTokens: 50 });
    expect(checkpoint['promptTokens']).toBeGreaterThan(0);
    expect(hold?.dispatched).toBe(1);
    expect(hold?.checkpoint_quota).toBe(2 * (checkpoint['promptTokens'] ?? 0) + 8 * 50);
    caller.leave();
    await caller.closed;
    const [row] = await eventually(
      () => relay.logs(token.userId),
      (rows) => rows.length > 0,
    );
    expect(row?.quota).toBe(hold?.checkpoint_quota ?? -1);
  });

  test('M2b the report of a response is in the checkpoint at once', async () => {
    await begin();
    relay.mock.behave({ usage: { inputTokens: 50_000, outputTokens: 100 } });
    const caller = await openRealtime(relay.url, token.key);
    caller.send(ask);
    await caller.until('response.done');
    using clock = startRunClock();
    const reportedAt = Date.now();
    const hold = await eventually(holdRow, (row) => (row?.checkpoint_quota ?? 0) > 0);
    expect(clock.between(reportedAt, Date.now())).toBeLessThan(1500);
    expect(hold?.checkpoint_quota).toBe(2 * 50_000 + 8 * 100);
    caller.leave();
    await caller.closed;
  });

  test('a ledger that is away is no lack of quota: the session says so, ends, and is settled', async () => {
    await begin();
    const caller = await answered({ outputTokens: 12_000, stall: { afterEvents: 3, milliseconds: 500 } });
    relay.ledger.extend = () => Promise.reject(new LedgerUnavailableError('away'));
    const { code, reason } = await caller.closed;
    expect({ code, reason }).toEqual({ code: 1013, reason: 'unavailable' });
    expect(caller.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'unavailable' } });
    await expectSettled(caller, 'unavailable');
  });

  test('a caller that leaves while a message waits for the hold does not pay for that message', async () => {
    await begin();
    const caller = await answered({ outputTokens: 12_000, stall: { afterEvents: 3, milliseconds: 500 } });
    const asked = Promise.withResolvers<void>();
    relay.ledger.extend = () => {
      asked.resolve();
      return new Promise(() => {});
    };
    await asked.promise;
    const held = (await holdRow())?.amount ?? 0;
    caller.leave();
    await caller.closed;
    const [row] = await eventually(
      () => relay.logs(token.userId),
      (rows) => rows.length > 0,
      patience,
    );
    // More than the limit of 4,096 tokens; the piece that the hold does not cover is not charged.
    expect(held).toBeGreaterThan(4096 * 8);
    expect(row?.quota).toBeWithin(held - 7, held + 1);
  });
});
