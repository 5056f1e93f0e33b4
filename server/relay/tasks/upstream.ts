// Calls to the upstream of a task, with the channel's address, key, headers and proxy, through server/platform/egress.
import type { Format } from '#server/models/formats/format.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { mapStatus } from '#server/relay/channel-choice/mapping.ts';
import {
  failureOf,
  httpFailure,
  networkFailure,
  type UpstreamFailure,
} from '#server/relay/errors/upstream-failure.ts';
import type { Core } from '#server/relay/pipeline/core.ts';

export const SUBMIT_SECONDS = 60;
export const READ_SECONDS = 20;
const ANSWER_BYTES = 8 * 1024 * 1024;

/** Longer than any submission takes: until then the poller leaves the task alone. */
export const SUBMISSION_SECONDS = SUBMIT_SECONDS * 2 + 30;

/** `value` is undefined when the answer is not JSON. */
export type Reply =
  | { status: number; value: unknown }
  | { status: number; failure: UpstreamFailure; value?: unknown };

interface TaskRequest {
  format: Format;
  path: string;
  /** GET without a body, POST with one. */
  method?: string;
  body?: unknown;
  /** Instead of `body` where it is not JSON. */
  content?: { readonly type: string; readonly bytes: Uint8Array };
  /** Beside those of the channel. */
  headers?: Readonly<Record<string, string>> | undefined;
  timeoutSeconds: number;
  signal?: AbortSignal;
}

export async function askUpstream(core: Core, channel: Channel, asked: TaskRequest): Promise<Reply> {
  const { format, path, timeoutSeconds, signal } = asked;
  const url = channel.provider.url(channel, { format, path, model: '', isStream: false });
  const sent = contentOf(asked);
  try {
    const response = await core.egress.fetch('channel', url, {
      method: asked.method ?? (sent === undefined ? 'GET' : 'POST'),
      headers: {
        Accept: 'application/json',
        ...(sent === undefined ? {} : { 'Content-Type': sent.type }),
        ...channel.headers,
        ...asked.headers,
      },
      ...(sent === undefined ? {} : { body: sent.bytes }),
      ...(channel.setting.proxy === '' ? {} : { proxy: channel.setting.proxy }),
      ...(signal === undefined ? {} : { signal }),
      timeoutSeconds,
      limitBytes: ANSWER_BYTES,
    });
    const { status } = response;
    const text = await response.text();
    if (response.ok) return { status, value: parsed(text) };
    const mapped = mapStatus(channel.statusMapping, status);
    const retryAfter = response.headers.get('retry-after') ?? undefined;
    return { status, failure: httpFailure(status, mapped, text, retryAfter), value: parsed(text) };
  } catch (error) {
    if (signal?.aborted === true) return { status: 0, failure: networkFailure('client_left') };
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    return { status: failure.rawStatus, failure };
  }
}

function contentOf({ body, content }: TaskRequest): { type: string; bytes: string | Uint8Array } | undefined {
  if (content !== undefined) return content;
  return body === undefined ? undefined : { type: 'application/json', bytes: JSON.stringify(body) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
