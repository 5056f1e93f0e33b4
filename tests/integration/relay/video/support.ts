// The whole application with mock video platforms behind it.
import { expect } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { ask, type Answered } from '#tests/integration/relay/drawing/support.ts';
import type { TestApplication } from '#tests/support/application.ts';
import { addChannel, type ChannelWish } from '#tests/support/channels.ts';
import type { VideoServer } from '#mock/upstream/video/server.ts';
import type { PlatformName } from '#mock/upstream/video/shapes.ts';

export const START = 1_000_000;
/** Dollars are 500,000 units. */
export const PRICES = {
  ModelPrice: { 'sora-2': 0.01, clip: 0.05, film: 0.01 },
  PriceUnit: { film: 'second' },
  ResolutionPrice: { 'sora-2': { '1080p': 0.02 } },
  ModelRatio: { tokens: 0.1, scene: 0.1 },
};

const types: Record<PlatformName, number> = {
  sora: CHANNEL_TYPE.sora,
  gemini: CHANNEL_TYPE.gemini,
  vertex: CHANNEL_TYPE.vertex,
  kling: CHANNEL_TYPE.kling,
  doubao: CHANNEL_TYPE.doubaoVideo,
  wan: CHANNEL_TYPE.ali,
  hailuo: CHANNEL_TYPE.miniMax,
  vidu: CHANNEL_TYPE.vidu,
  jimeng: CHANNEL_TYPE.jimeng,
  runway: CHANNEL_TYPE.runway,
};

export async function setPrices(app: TestApplication): Promise<void> {
  for (const [name, value] of Object.entries(PRICES)) await app.settings.set(name, JSON.stringify(value), 0);
}

export async function videoChannel(
  app: TestApplication,
  upstream: VideoServer,
  platform: PlatformName,
  models: readonly string[],
  wish: Partial<ChannelWish> = {},
): Promise<number> {
  return await addChannel(app.store, {
    name: platform,
    type: types[platform],
    ...upstream.channel(platform),
    models: [...models],
    ...wish,
  });
}

export const create = (app: TestApplication, key: string, body: unknown, headers = {}): Promise<Answered> =>
  ask(app.url, key, '/v1/videos', body, headers);

/** The id of a new video, as its caller knows it. */
export async function created(app: TestApplication, key: string, body: unknown): Promise<string> {
  const reply = await create(app, key, body);
  expect([reply.status, reply.body['status']]).toEqual([200, 'queued']);
  return String(reply.body['id']);
}

export async function videoRow(app: TestApplication, id: string): Promise<Row<'tasks'>> {
  const hex = id.replace(/^video_/, '');
  const hold = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  );
  return await app.store.db
    .selectFrom('tasks')
    .selectAll()
    .where('hold_id', '=', hold)
    .executeTakeFirstOrThrow();
}

/** Waits until the hold of the video is settled or released. */
export const endedVideo = (app: TestApplication, id: string): Promise<Row<'tasks'>> =>
  eventually(
    () => videoRow(app, id),
    (row) => row.money !== 'open',
    30_000,
  );

/** The newest log row of a user, with its details. */
export async function lastLog(app: TestApplication, userId: number) {
  const row = await app.store.db
    .selectFrom('logs')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return { ...row, other: JSON.parse(row.other) as Record<string, unknown> };
}
