// Short-lived secrets for realtime sessions: what they open, for whom, for how long, and who pays.
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { removeExpiredSecrets } from '#server/relay/realtime/client-secrets.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';
import { openRealtime, patience, userText } from './realtime-caller.ts';

setDefaultTimeout(120_000);

const model = 'gpt-realtime';
const instructions = 'Answer in one short sentence. '.repeat(20);

forEachDatabase((database) => {
  let relay: RelayHarness;
  let token: TestToken;
  beforeEach(async () => {
    relay = await startRelay({ database });
    await relay.channel();
    token = await relay.token();
  });
  afterEach(() => relay[Symbol.asyncDispose]());

  const ask = (session: object = {}, key = token.key, rest: object = {}) =>
    relay.post('/v1/realtime/client_secrets', key, {
      session: { type: 'realtime', model, ...session },
      ...rest,
    });

  async function secret(session: object = {}, key = token.key): Promise<string> {
    const answer = await ask(session, key);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { value: string }).value;
  }

  /** The refusal of a handshake, or undefined when the session opens. */
  async function refusal(key: string, query = `model=${model}`): Promise<{ status: number; code: string }> {
    const answer = await fetch(`${relay.url}/v1/realtime?${query}`, {
      headers: {
        Authorization: `Bearer ${key}`,
        Upgrade: 'websocket',
        Connection: 'Upgrade',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'Sec-WebSocket-Version': '13',
      },
    });
    const { error } = (await answer.json()) as { error: { code: string } };
    return { status: answer.status, code: error.code };
  }

  const setTokens = async (values: object) => {
    await relay.store.db.updateTable('tokens').set(values).where('id', '=', token.id).execute();
    await relay.store.changes.announce('tokens');
  };

  test('a secret opens a session with its configuration; the token that asked for it pays what was served (W42)', async () => {
    const before = Date.now() / 1000;
    const made = await relay.sdk(token).realtime.clientSecrets.create({
      expires_after: { anchor: 'created_at', seconds: 60 },
      session: { type: 'realtime', model, instructions },
    });
    expect(made.value).toMatch(/^ek_[0-9a-f]{48}$/);
    expect(made.expires_at).toBeGreaterThanOrEqual(Math.floor(before) + 60);
    expect(made.expires_at).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 60);
    expect(made.session).toMatchObject({ type: 'realtime', model, instructions });
    const row = await relay.store.db.selectFrom('realtime_secrets').selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(made.value);
    // A browser names the secret in a protocol, and need not name the model.
    const caller = await openRealtime(relay.url, made.value, {}, '');
    await caller.until('session.updated');
    caller.send(userText('Hello?'));
    caller.send({ type: 'response.create', response: { output_modalities: ['text'] } });
    await caller.until('response.done');
    caller.leave();
    const rows = await eventually(
      () => relay.logs(token.userId),
      (all) => all.length > 0,
      patience,
    );
    const { usage } = relay.mock.requests.find(({ path }) => path.includes('realtime')) ?? {};
    // The upstream read the instructions of the secret and counts them.
    expect(usage?.inputTokens).toBeGreaterThan(80);
    expect(rows[0]).toMatchObject({
      user_id: token.userId,
      token_id: token.id,
      model_name: model,
      prompt_tokens: usage?.inputTokens ?? -1,
      completion_tokens: usage?.outputTokens ?? -1,
    });
    expect(rows[0]?.quota).toBeGreaterThan(0);
    expect(await relay.holds()).toBe(0);
    expect(await checkInvariants(relay.store)).toEqual([]);
    expect(relay.logged.join('\n')).not.toContain(made.value);
  });

  test('a secret opens nothing but a realtime session of its model (W42)', async () => {
    const key = await secret();
    const before = relay.mock.requests.length;
    const calls: [string, object][] = [
      ['/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }],
      ['/v1/responses', { model: 'gpt-4o', input: 'hi' }],
      ['/v1/messages', { model: 'gpt-4o', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }],
      ['/v1beta/models/gpt-4o:generateContent', { contents: [{ parts: [{ text: 'hi' }] }] }],
      ['/v1/embeddings', { model: 'text-embedding-3-small', input: 'hi' }],
      ['/v1/conversations', {}],
      ['/v1/realtime/client_secrets', { session: { type: 'realtime', model } }],
      ['/v1/realtime/sessions', { model }],
    ];
    for (const [path, body] of calls) {
      const answer = await relay.post(path, key, body);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(await answer.text()).toContain('can only open /v1/realtime');
    }
    const models = await fetch(`${relay.url}/v1/models`, { headers: { Authorization: `Bearer ${key}` } });
    expect(models.status).toBe(401);
    expect(await refusal(key, 'model=gpt-4o')).toEqual({ status: 403, code: 'secret_other_model' });
    expect(relay.mock.requests).toHaveLength(before);
  });

  test('a secret that has expired, was guessed, or whose token is disabled, expired, deleted or narrowed opens nothing (W42)', async () => {
    const key = await secret();
    expect(await refusal('ek_0000')).toEqual({ status: 401, code: 'secret_unknown' });
    await setTokens({ status: 2 });
    expect((await refusal(key)).code).toBe('token_disabled');
    await setTokens({ status: 1, expired_time: 5 });
    expect((await refusal(key)).code).toBe('token_expired');
    await setTokens({ expired_time: -1, model_limits_enabled: 1, model_limits: 'gpt-4o' });
    expect((await refusal(key)).code).toBe('model_not_allowed');
    await setTokens({ model_limits_enabled: 0, allow_ips: '10.9.9.9' });
    expect((await refusal(key)).code).toBe('address_not_allowed');
    await setTokens({ allow_ips: '', deleted_at: 5 });
    expect((await refusal(key)).code).toBe('invalid_api_key');
    await setTokens({ deleted_at: null });
    await relay.store.db.updateTable('users').set({ status: 2 }).where('id', '=', token.userId).execute();
    await relay.store.changes.announce('users');
    expect((await refusal(key)).code).toBe('user_disabled');
    await relay.store.db.updateTable('users').set({ status: 1 }).where('id', '=', token.userId).execute();
    await relay.store.changes.announce('users');
    await relay.store.db.updateTable('realtime_secrets').set({ expires_at: 5 }).execute();
    expect(await refusal(key)).toEqual({ status: 401, code: 'secret_unknown' });
    await removeExpiredSecrets(relay.store);
    expect(await relay.store.db.selectFrom('realtime_secrets').selectAll().execute()).toEqual([]);
    expect(relay.mock.requests).toHaveLength(0);
  });

  test('a session outlives its secret, and ends with the token (W42)', async () => {
    const caller = await openRealtime(relay.url, await secret());
    await relay.store.db.updateTable('realtime_secrets').set({ expires_at: 5 }).execute();
    await relay.store.changes.announce('tokens');
    caller.send(userText('Hello?'));
    caller.send({ type: 'response.create', response: { output_modalities: ['text'] } });
    await caller.until('response.done');
    await setTokens({ status: 2 });
    expect(await caller.closed).toMatchObject({ code: 1008, reason: 'token_disabled' });
    expect(await relay.holds()).toBe(0);
  });

  test('the endpoints of the beta issue secrets too; hostile wishes are refused (W42, S24)', async () => {
    const beta = await relay.post('/v1/realtime/sessions', token.key, { model, voice: 'verse' });
    const session = (await beta.json()) as { client_secret: { value: string } };
    expect(session).toMatchObject({ object: 'realtime.session', model, voice: 'verse' });
    const caller = await openRealtime(relay.url, session.client_secret.value);
    caller.leave();
    const transcription = await relay.post('/v1/realtime/transcription_sessions', token.key, {
      input_audio_transcription: { model: 'gpt-4o-transcribe' },
    });
    expect(await transcription.json()).toMatchObject({ object: 'realtime.transcription_session' });
    const codeOf = async (answer: Response) => {
      const { error } = (await answer.json()) as { error: { code: string; param: string | null } };
      return [answer.status, error.code, error.param];
    };
    expect((await ask({ model: 'unknown' })).status).toBeGreaterThanOrEqual(400);
    expect(await codeOf(await ask({ type: 'other' }))).toEqual([400, 'invalid_field', 'session.type']);
    expect(await codeOf(await ask({ prompt: { id: 'pmpt_1' } }))).toEqual([
      400,
      'state_not_here',
      'session.prompt',
    ]);
    expect(await codeOf(await ask({ instructions: 'x'.repeat(70_000) }))).toEqual([
      400,
      'invalid_field',
      'session',
    ]);
    for (const seconds of [9, 7201, 1.5, '60', -1])
      expect(
        await codeOf(await ask({}, token.key, { expires_after: { anchor: 'created_at', seconds } })),
      ).toEqual([400, 'invalid_field', 'expires_after.seconds']);
    const narrow = await relay.token({ model_limits_enabled: 1, model_limits: 'gpt-4o' });
    expect((await codeOf(await ask({}, narrow.key)))[1]).toBe('model_not_allowed');
    const row = await relay.store.db.selectFrom('realtime_secrets').selectAll().executeTakeFirstOrThrow();
    await relay.store.db
      .insertInto('realtime_secrets')
      .values(Array.from({ length: 100 }, (_, n) => ({ ...row, digest: `d${n}` })))
      .execute();
    expect(await codeOf(await ask())).toEqual([429, 'secrets_full', null]);
  });

  test('a message that names a stored prompt is answered with an error and not sent; the session goes on (S24)', async () => {
    const caller = await openRealtime(relay.url, token.key);
    caller.send({ type: 'session.update', session: { prompt: { id: 'pmpt_other' } } });
    await caller.until('error');
    expect(caller.events.find(({ type }) => type === 'error')?.error).toMatchObject({
      code: 'state_not_here',
    });
    expect(caller.count('session.updated')).toBe(0);
    caller.send(userText('Hello?'));
    caller.send({ type: 'response.create', response: { output_modalities: ['text'] } });
    await caller.until('response.done');
    caller.leave();
  });
});
