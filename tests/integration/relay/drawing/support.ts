// The whole application with a Midjourney proxy behind it, and callers with keys.
import { expect } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { NewRow, Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { typeModels } from '#server/models/providers/facts/type-models.ts';
import { addChannel, type ChannelWish } from '#tests/support/channels.ts';
import {
  startApplication,
  type TestApplication,
  type TestApplicationOptions,
} from '#tests/support/application.ts';
import { startMidjourney, type MidjourneyServer } from '#mock/upstream/midjourney/server.ts';
import { randomBytes } from 'node:crypto';
import { eventually } from '#tests/integration/relay/calls/harness.ts';

/** 0.1 dollars. */
export const IMAGINE_QUOTA = 50_000;
/** 0.05 dollars. */
export const UPSCALE_QUOTA = 25_000;

export const MODELS = typeModels[CHANNEL_TYPE.midjourneyProxyPlus] ?? [];

export interface Painter {
  id: number;
  tokenId: number;
  /** With `sk-`. */
  key: string;
}

export interface Answered {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

export interface Studio {
  app: TestApplication;
  mj: MidjourneyServer;
  channelId: number;
  channel(wish?: Partial<ChannelWish>): Promise<number>;
  painter(quota?: number, token?: Partial<NewRow<'tokens'>>): Promise<Painter>;
  close(): Promise<void>;
}

export async function openStudio(options: TestApplicationOptions = {}): Promise<Studio> {
  const mj = startMidjourney();
  const app = await startApplication({
    ...options,
    environment: { TASK_POLL_SECONDS: '1', ...options.environment },
  });
  await app.settings.set('ServerAddress', app.url, 0);
  const channel = (wish: Partial<ChannelWish> = {}) =>
    addChannel(app.store, {
      base_url: mj.url,
      key: mj.secret,
      type: CHANNEL_TYPE.midjourneyProxyPlus,
      models: MODELS,
      ...wish,
    });
  const channelId = await channel({ name: 'painter' });
  return {
    app,
    mj,
    channelId,
    channel,
    painter: (quota, token) => createPainter(app, quota, token),
    async close() {
      await app.close();
      await mj.stop();
    },
  };
}

export async function createPainter(
  app: TestApplication,
  quota = 1_000_000,
  token: Partial<NewRow<'tokens'>> = {},
): Promise<Painter> {
  const user = await app.createUser({ quota });
  const key = randomBytes(36).toString('hex').slice(0, 48);
  const { id } = await app.store.db
    .insertInto('tokens')
    .values({
      name: 'brush',
      key_digest: app.store.vault.digest('token', key),
      unlimited_quota: 1,
      created_time: Math.floor(Date.now() / 1000),
      ...token,
      user_id: user.id,
      deleted_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id: user.id, tokenId: id, key: `sk-${key}` };
}

/** POST with a body, GET without. */
export async function ask(
  url: string,
  key: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'Accept-Language': 'en',
      ...(key === '' ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

/** The id of a new drawing. */
export async function imagine(url: string, key: string, prompt = 'a toll gate'): Promise<string> {
  const { status, body } = await ask(url, key, '/mj/submit/imagine', { prompt });
  expect([status, body['code']]).toEqual([200, 1]);
  return String(body['result']);
}

export async function taskRow(store: Store, taskId: string): Promise<Row<'tasks'>> {
  return await store.db
    .selectFrom('tasks')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
}

/** Waits until the hold of the drawing is settled or released. */
export async function ended(store: Store, taskId: string, milliseconds = 30_000): Promise<Row<'tasks'>> {
  return await eventually(
    () => taskRow(store, taskId),
    (row) => row.money !== 'open',
    milliseconds,
  );
}

export interface UserBooks {
  quota: number;
  held: number;
  used: number;
  holds: number;
  entries: number;
  consumed: number;
  failed: number;
}

/** Balance, holds, ledger entries and log rows of one user. */
export async function booksOf(
  app: Pick<TestApplication, 'store' | 'ledger'>,
  userId: number,
): Promise<UserBooks> {
  await app.ledger.writeHolds();
  const { db } = app.store;
  const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow();
  const holds = await db.selectFrom('holds').select('id').where('user_id', '=', userId).execute();
  const entries = await db
    .selectFrom('ledger')
    .select('idem')
    .where('user_id', '=', userId)
    .where('kind', '=', 'use')
    .execute();
  const logs = await db.selectFrom('logs').select('type').where('user_id', '=', userId).execute();
  return {
    quota: user.quota,
    held: user.held_quota,
    used: user.used_quota,
    holds: holds.length,
    entries: entries.length,
    consumed: logs.filter(({ type }) => type === 2).length,
    failed: logs.filter(({ type }) => type === 5).length,
  };
}

export async function expectSoundBooks(store: Store): Promise<void> {
  expect(await checkInvariants(store)).toEqual([]);
}
