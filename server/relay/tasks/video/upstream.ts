// Calls to a video platform: JSON or a form, with the channel's address, key or signature, headers and proxy.
import { isObject } from '#server/models/formats/json.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { mapStatus } from '#server/relay/channel-choice/mapping.ts';
import {
  failureOf,
  httpFailure,
  networkFailure,
  refusalFailure,
} from '#server/relay/errors/upstream-failure.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { toolsFor } from '#server/relay/pipeline/dispatch.ts';
import type { Reply } from '#server/relay/tasks/upstream.ts';
import type { UpstreamRequest } from './platform.ts';

/** A finished video of Vertex is inside the answer. */
const ANSWER_BYTES = 128 * 1024 * 1024;

export interface SignedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | undefined;
}

export async function signRequest(
  core: Core,
  channel: Channel,
  { method, path, model = '', json, form, headers: own }: UpstreamRequest,
): Promise<SignedRequest> {
  const { provider } = channel;
  const url = provider.url(channel, { format: 'video', path, model, isStream: false });
  const encoded = form === undefined ? undefined : new Response(form);
  // Before the body: the platform forgets the boundary with it.
  const type = encoded?.headers.get('content-type') ?? 'application/json';
  const body = encoded === undefined ? json && JSON.stringify(json) : await encoded.bytes();
  const headers: Record<string, string> = {
    ...channel.headers,
    ...own,
    ...(body === undefined ? {} : { 'Content-Type': type }),
  };
  const unsigned = { method, url: new URL(url), body: body ?? '', headers };
  const added = await provider.authorize?.(channel, unsigned, toolsFor(core, channel));
  return { url, method, headers: { ...headers, ...added }, body };
}

export async function callUpstream(
  core: Core,
  channel: Channel,
  request: UpstreamRequest,
  { timeoutSeconds, signal }: { timeoutSeconds: number; signal?: AbortSignal },
): Promise<Reply> {
  const { provider, setting, statusMapping } = channel;
  let isSigned = false;
  try {
    const { url, method, headers, body } = await signRequest(core, channel, request);
    isSigned = true;
    const response = await core.egress.fetch('channel', url, {
      method,
      headers: { Accept: 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
      ...(setting.proxy === '' ? {} : { proxy: setting.proxy }),
      ...(signal === undefined ? {} : { signal }),
      timeoutSeconds,
      limitBytes: ANSWER_BYTES,
    });
    const { status } = response;
    const text = await response.text();
    const value = parsed(text);
    const refusalIn = (refused: Readonly<Record<string, unknown>>) => provider.refusalIn?.(refused, status);
    if (!response.ok) {
      const retryAfter = response.headers.get('retry-after') ?? undefined;
      const mapped = mapStatus(statusMapping, status);
      return { status, failure: httpFailure(status, mapped, text, retryAfter, { refusalIn }), value };
    }
    const refusal = isObject(value) ? refusalIn(value) : undefined;
    return refusal === undefined
      ? { status, value }
      : { status, failure: refusalFailure(refusal, status), value };
  } catch (error) {
    if (signal?.aborted === true) return { status: 0, failure: networkFailure('client_left') };
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    // Without a signature the request was not sent, only a question for a key.
    return { status: failure.rawStatus, failure: isSigned ? failure : { ...failure, mayHaveArrived: false } };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
