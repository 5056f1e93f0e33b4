// Calls to a Midjourney proxy, with the channel's address, key, headers and proxy, through server/egress.
import { isObject } from '#server/formats/json.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import {
  failureOf,
  httpFailure,
  networkFailure,
  type UpstreamFailure,
} from '#server/relay/errors/upstream-failure.ts';
import { mapStatus } from '#server/relay/channels/mapping.ts';
import { isReport } from './report.ts';

const submitSeconds = 60;
const readSeconds = 20;
const answerBytes = 8 * 1024 * 1024;

export interface SubmitAnswer {
  code: number;
  description: string;
  result: unknown;
  properties: Readonly<Record<string, unknown>>;
}

export type Submitted = { answer: SubmitAnswer; status: number } | { failure: UpstreamFailure };

/** Longer than any submission takes: until then the poller leaves the task alone. */
export const submissionSeconds = submitSeconds * 2 + 30;

type Reply = { status: number; value: unknown } | { failure: UpstreamFailure };

interface Request {
  path: string;
  /** Undefined: the request is a GET. */
  body?: unknown;
  timeoutSeconds: number;
  signal?: AbortSignal;
}

async function request(
  core: Core,
  channel: Channel,
  { path, body, timeoutSeconds, signal }: Request,
): Promise<Reply> {
  const url = channel.provider.url(channel, { format: 'midjourney', path, model: '', isStream: false });
  const isPost = body !== undefined;
  try {
    const response = await core.egress.fetch('channel', url, {
      method: isPost ? 'POST' : 'GET',
      headers: {
        Accept: 'application/json',
        ...(isPost ? { 'Content-Type': 'application/json' } : {}),
        ...channel.headers,
      },
      ...(isPost ? { body: JSON.stringify(body) } : {}),
      ...(channel.setting.proxy === '' ? {} : { proxy: channel.setting.proxy }),
      ...(signal === undefined ? {} : { signal }),
      timeoutSeconds,
      limitBytes: answerBytes,
    });
    const text = await response.text();
    if (response.ok) return { status: response.status, value: parsed(text) };
    const status = mapStatus(channel.statusMapping, response.status);
    const retryAfter = response.headers.get('retry-after') ?? undefined;
    return { failure: httpFailure(response.status, status, text, retryAfter) };
  } catch (error) {
    if (signal?.aborted === true) return { failure: networkFailure('client_left') };
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    return { failure };
  }
}

export async function submit(core: Core, channel: Channel, path: string, body: unknown): Promise<Submitted> {
  const reply = await request(core, channel, { path: `/mj/${path}`, body, timeoutSeconds: submitSeconds });
  if ('failure' in reply) return reply;
  const { value, status } = reply;
  if (!isObject(value) || typeof value['code'] !== 'number') return { failure: networkFailure('network') };
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
): Promise<Map<string, Readonly<Record<string, unknown>>> | undefined> {
  const reply = await request(core, channel, {
    path: '/mj/task/list-by-condition',
    body: { ids },
    timeoutSeconds: readSeconds,
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
  return await request(core, channel, { path, timeoutSeconds: readSeconds });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
