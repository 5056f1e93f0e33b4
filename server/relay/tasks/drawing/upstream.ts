// Calls to a Midjourney proxy.
import { isObject } from '#server/models/formats/json.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { unansweredFailure } from '#server/relay/errors/upstream-failure.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { RawReport } from '#server/relay/tasks/platform.ts';
import type { Sent } from '#server/relay/tasks/submit.ts';
import { askUpstream, READ_SECONDS, SUBMIT_SECONDS, type Reply } from '#server/relay/tasks/upstream.ts';
import { isReport } from './report.ts';

export interface SubmitAnswer {
  code: number;
  description: string;
  result: unknown;
  properties: Readonly<Record<string, unknown>>;
}

export async function submit(
  core: Core,
  channel: Channel,
  path: string,
  body: unknown,
): Promise<Sent<SubmitAnswer>> {
  const reply = await askUpstream(core, channel, {
    format: 'midjourney',
    path: `/mj/${path}`,
    body,
    timeoutSeconds: SUBMIT_SECONDS,
  });
  const { status, value } = reply;
  if ('failure' in reply) return { failure: reply.failure, status };
  if (!isObject(value) || typeof value['code'] !== 'number') return { failure: unansweredFailure(), status };
  const { code, description, result, properties } = value;
  return {
    status,
    answer: {
      code,
      description: typeof description === 'string' ? description : '',
      result,
      properties: isObject(properties) ? properties : {},
    },
  };
}

/** The upstream's reports by drawing id; undefined when they could not be read. */
export async function reportsOf(
  core: Core,
  channel: Channel,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, RawReport> | undefined> {
  const reply = await askUpstream(core, channel, {
    format: 'midjourney',
    path: '/mj/task/list-by-condition',
    body: { ids },
    timeoutSeconds: READ_SECONDS,
    signal,
  });
  if ('failure' in reply || !Array.isArray(reply.value)) {
    if (signal.aborted) return undefined;
    core.log.warn('the state of drawings could not be read', { channel_id: channel.id });
    return undefined;
  }
  const requested = new Set(ids);
  const reports = (reply.value as unknown[]).filter(isReport).filter(({ id }) => requested.has(id));
  return new Map(reports.map((report) => [report.id, report]));
}

export async function seedOf(core: Core, channel: Channel, id: string): Promise<Reply> {
  const path = `/mj/task/${encodeURIComponent(id)}/image-seed`;
  return await askUpstream(core, channel, { format: 'midjourney', path, timeoutSeconds: READ_SECONDS });
}
