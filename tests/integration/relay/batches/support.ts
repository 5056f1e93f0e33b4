// The application with an OpenAI-like and an Anthropic-like upstream that run batches behind it.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { createPainter, type Painter } from '#tests/integration/relay/drawing/support.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel, type ChannelWish } from '#tests/support/channels.ts';
import { temporaryPlace, type DatabaseLabel } from '#tests/support/databases.ts';
import { startAnthropicBatches, type AnthropicBatchServer } from '#mock/upstream/batches/anthropic.ts';
import { startOpenAiBatches, type OpenAiBatchServer, type Served } from '#mock/upstream/batches/openai.ts';

export const MODEL = 'batch-model';
export const CLAUDE = 'claude-batch';
export const START = 1_000_000;
export const PRICES = {
  GroupRatio: '{"default":1,"vip":2}',
  ModelRatio: `{"${MODEL}":1,"${CLAUDE}":1,"azure-model":1,"lonely-model":1,"vip-model":1}`,
  CompletionRatio: `{"${MODEL}":4,"${CLAUDE}":4}`,
  CacheRatio: `{"${MODEL}":0.5,"${CLAUDE}":0.5}`,
};

export interface Station {
  app: TestApplication;
  /** All of them; SQLite has one. */
  nodes: TestApplication[];
  openai: OpenAiBatchServer;
  anthropic: AnthropicBatchServer;
  channelId: number;
  channel: (wish?: Partial<ChannelWish>) => Promise<number>;
  caller: (quota?: number, token?: Parameters<typeof createPainter>[2]) => Promise<Caller>;
  close: () => Promise<void>;
}

export interface Caller extends Painter {
  openai: OpenAI;
  anthropic: Anthropic;
}

/** On PostgreSQL two nodes, whose pollers race for the same batches. */
export async function openStation(database: DatabaseLabel): Promise<Station> {
  const place = await temporaryPlace(database);
  const { dataDir, databaseUrl } = place;
  const address = { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
  const options = { place: address, environment: { TASK_POLL_SECONDS: '1' }, settings: PRICES };
  const app = await startApplication({ ...options, nodeId: 'first' });
  const other =
    database === 'postgres' ? await startApplication({ ...options, nodeId: 'second' }) : undefined;
  const openai = startOpenAiBatches();
  const anthropic = startAnthropicBatches();
  const channel = (wish: Partial<ChannelWish> = {}) =>
    addChannel(app.store, {
      name: 'batches',
      base_url: openai.url,
      key: openai.key,
      models: [MODEL],
      fields: { model_mapping: `{"${MODEL}":"upstream-model"}` },
      ...wish,
    });
  const channelId = await channel();
  await channel({
    base_url: anthropic.url,
    key: anthropic.key,
    type: CHANNEL_TYPE.anthropic,
    models: [CLAUDE],
    fields: { model_mapping: `{"${CLAUDE}":"claude-upstream"}` },
  });
  return {
    app,
    nodes: other === undefined ? [app] : [app, other],
    openai,
    anthropic,
    channelId,
    channel,
    async caller(quota = START, token = {}) {
      const painter = await createPainter(app, quota, token);
      return {
        ...painter,
        openai: new OpenAI({ apiKey: painter.key, baseURL: `${app.url}/v1`, maxRetries: 0 }),
        anthropic: new Anthropic({ apiKey: painter.key, baseURL: app.url, maxRetries: 0 }),
      };
    },
    async close() {
      await other?.close();
      await app.close();
      await openai.stop();
      await anthropic.stop();
      await place.remove();
    },
  };
}

export const line = (id: string, body: Record<string, unknown> = {}, url = '/v1/chat/completions'): string =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url,
    body: { model: MODEL, messages: [{ role: 'user', content: 'gate?' }], max_tokens: 100, ...body },
  });

export const upload = async (client: OpenAI, lines: readonly string[]) =>
  await client.files.create({
    file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'),
    purpose: 'batch',
  });

/** A batch of these requests, just made; each has the members of `body` too. */
export async function newBatch(client: OpenAI, ids: readonly string[], body: Record<string, unknown> = {}) {
  const file = await upload(
    client,
    ids.map((id) => line(id, body)),
  );
  return await client.batches.create({
    input_file_id: file.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
}

export const finished = (client: OpenAI, id: string) =>
  eventually(
    () => client.batches.retrieve(id),
    ({ status }) => ['completed', 'failed', 'expired', 'cancelled'].includes(status),
  );

/** Half of what the same calls would cost one by one. */
export const chargeFor = ({ prompt, cached, completion }: Omit<Served, 'requests'>): number =>
  Math.round((prompt - cached + cached * 0.5 + completion * 4) * 0.5);

/** What was served since then. */
export function since(now: Served, before: Served): Served {
  return {
    requests: now.requests - before.requests,
    prompt: now.prompt - before.prompt,
    cached: now.cached - before.cached,
    completion: now.completion - before.completion,
  };
}

export async function logOf(app: TestApplication, userId: number): Promise<Row<'logs'>> {
  const rows = await app.store.db.selectFrom('logs').selectAll().where('user_id', '=', userId).execute();
  const last = rows.filter(({ type }) => type === 2 || type === 5).at(-1);
  if (last === undefined) throw new Error('the user has no row in the log');
  return last;
}
