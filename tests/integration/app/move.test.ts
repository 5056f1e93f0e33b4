// `tollgate move`: an installation goes from SQLite to PostgreSQL with its users, keys, money, logs and settings.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { createPainter, ask } from '#tests/integration/relay/drawing/support.ts';
import { startApplication, USER_PASSWORD, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { startSuno, type SunoServer } from '#mock/upstream/suno/server.ts';

setDefaultTimeout(120_000);

describe('N9: from SQLite to PostgreSQL', () => {
  let source: TemporaryPlace;
  let target: TemporaryPlace;
  let upstream: MockUpstream;
  let suno: SunoServer;
  let key: string;
  let userId: number;
  let username: string;
  let quota: number;
  let running: string;
  const command = [
    process.execPath,
    new URL('../../../server/cli/main.ts', import.meta.url).pathname,
    'move',
  ];

  beforeAll(async () => {
    [source, target] = await Promise.all([temporaryPlace('sqlite'), temporaryPlace('postgres')]);
    upstream = startMockUpstream();
    suno = startSuno();
    const app = await startApplication({
      place: { dataDir: source.dataDir },
      settings: { ModelRatio: JSON.stringify({ 'gpt-4o': 1 }), SystemName: 'Moved "gate"' },
    });
    await addChannel(app.store, {
      type: CHANNEL_TYPE.openAi,
      base_url: upstream.url,
      key: 'sk-up',
      models: ['gpt-4o'],
    });
    const band = {
      type: CHANNEL_TYPE.suno,
      base_url: `${suno.url}/suno/`,
      key: suno.key,
      models: ['suno_music'],
    };
    await addChannel(app.store, band);
    ({ key, id: userId } = await createPainter(app));
    ({ username } = await app.createUser({ quota: 77 }));
    for (let call = 0; call < 3; call += 1) expect((await chat(app)).status).toBe(200);
    // Older days have partitions of their own.
    const day = Math.floor(Date.now() / 1000) - 9 * 86_400;
    await app.store.db
      .insertInto('logs')
      .values([
        { type: 4, created_at: day, content: 'old', user_id: userId },
        // PostgreSQL cannot store NUL; SQLite can.
        { type: 4, created_at: day, content: 'a\0b 😀 \\u0000', user_id: userId },
      ])
      .execute();
    const submitted = await ask(app.url, key, '/suno/submit/music', { prompt: 'a song of gates' });
    running = String(submitted.body['data']);
    ({ quota } = await balanceOf(app));
    await app.close();
  });
  afterAll(async () => {
    await upstream.stop();
    await suno.stop();
    await source.remove();
    await target.remove();
  });

  const chat = (app: TestApplication) =>
    ask(app.url, key, '/v1/chat/completions', {
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'hi' }],
    });
  const balanceOf = (app: TestApplication) =>
    app.store.db.selectFrom('users').select('quota').where('id', '=', userId).executeTakeFirstOrThrow();
  const start = () =>
    startApplication({
      place: { dataDir: source.dataDir, databaseUrl: target.databaseUrl ?? '' },
      environment: { TASK_POLL_SECONDS: '1' },
    });
  /** Ended by kill -9 after the line that begins with `until`. */
  async function run(until?: string): Promise<{ code: number; text: string }> {
    const child = Bun.spawn([...command, target.databaseUrl ?? ''], {
      env: { ...process.env, DATA_DIR: source.dataDir, DATABASE_URL: '' },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    let text = '';
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (until !== undefined && text.includes(until)) child.kill('SIGKILL');
    }
    text += await new Response(child.stderr).text();
    return { code: await child.exited, text };
  }

  test('a move that is killed leaves a database that no server starts on, and goes on when it runs again', async () => {
    expect((await run('ledger ')).code).not.toBe(0);
    const refused: unknown = await start().catch((error: unknown) => error);
    expect(String(refused)).toContain('a move into this database is not finished');
    const { code, text } = await run();
    expect([code, text]).toEqual([0, expect.stringContaining('moved; start the server with DATABASE_URL')]);
    expect(text).toMatch(/^logs +\d+ rows$/m);
  });

  test('keys, passwords, settings, channels and balances are as before; running tasks end and are charged', async () => {
    const app = await start();
    try {
      expect((await balanceOf(app)).quota).toBe(quota);
      expect(app.settings.current.SystemName).toBe('Moved "gate"');
      expect((await app.login(username, USER_PASSWORD)).username).toBe(username);
      expect((await chat(app)).status).toBe(200);
      suno.finish(running);
      const ended = async () =>
        await app.store.db
          .selectFrom('tasks')
          .selectAll()
          .where('task_id', '=', running)
          .executeTakeFirstOrThrow();
      while ((await ended()).money === 'open') await Bun.sleep(50);
      expect(await ended()).toMatchObject({ status: 'SUCCESS', money: 'settled' });
      const reader = await app.store.openReader();
      expect(await checkInvariants(reader)).toEqual([]);
      await reader.close();
      const days = await app.store.db
        .selectFrom('logs')
        .select('content')
        .where('type', '=', 4)
        .where('created_at', '<', Math.floor(Date.now() / 1000) - 86_400)
        .orderBy('id')
        .execute();
      expect(days.map(({ content }) => content)).toEqual(['old', 'ab 😀 \\u0000']);
    } finally {
      await app.close();
    }
  });

  test('the old database is unchanged, and a second move into the same database is refused', async () => {
    const { code, text } = await run();
    expect([code, text]).toEqual([1, expect.stringContaining('the target has users already')]);
    const app = await startApplication({ place: { dataDir: source.dataDir } });
    expect((await balanceOf(app)).quota).toBe(quota);
    await app.close();
  });
});
