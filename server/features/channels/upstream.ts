// One call to a channel's upstream outside the relay: with the channel's address, key and headers, through the outbound
// door. What goes wrong comes back as a sentence without the key.
import { isJsonObject } from '#contract/channel-fields.ts';
import { AppError } from '#contract/errors.ts';
import { joinVersion } from '#server/providers/openai-style.ts';
import { providerOf } from '#server/providers/index.ts';
import type { Provider, ProviderChannel } from '#server/providers/provider.ts';
import type { Row } from '#server/store/schema.ts';
import { channelRow } from './change.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import { keysOf } from './fields.ts';
import { openChannelKey } from './key.ts';
import { factsOf } from './types.ts';

type Columns = 'type' | 'base_url' | 'other' | 'openai_organization' | 'header_override';

/** A channel as far as its upstream is concerned, from a row or from a form. */
export interface UpstreamTarget extends Pick<Row<'channels'>, Columns> {
  key: string;
}

export type UpstreamAnswer =
  | { isOk: true; status: number; value: unknown; milliseconds: number }
  | { isOk: false; status: number; detail: string; milliseconds: number };

const DETAIL_CHARACTERS = 300;
const ANSWER_BYTES = 4 * 1024 * 1024;

export function targetOf(dependencies: UpstreamDependencies, row: Row<'channels'>): UpstreamTarget {
  return { ...row, key: openChannelKey(dependencies.store.vault, row) };
}

interface Draft extends Pick<Row<'channels'>, Columns> {
  id?: number;
  key: string;
}

/** Form values; a stored key goes to the stored address and to no other. */
export async function draftTarget(dependencies: UpstreamDependencies, draft: Draft): Promise<UpstreamTarget> {
  const [key] = keysOf(dependencies, draft.type, draft.key);
  if (key !== undefined) return { ...draft, key };
  if (draft.id === undefined) throw new AppError('channel_key_required', {}, { field: 'key' });
  const row = await channelRow(dependencies, draft.id);
  if (originOf(row) !== originOf(draft)) {
    throw new AppError('channel_key_needed_for_address', {}, { field: 'key' });
  }
  return { ...draft, key: openChannelKey(dependencies.store.vault, row) };
}

export function providerFor(type: number): Provider {
  const provider = providerOf(type);
  if (provider) return provider;
  throw new AppError('channel_type_not_ready', { name: factsOf(type)?.name ?? type });
}

export function providerChannel(target: UpstreamTarget): ProviderChannel {
  return {
    baseUrl: target.base_url,
    key: target.key,
    organization: target.openai_organization,
    other: target.other,
  };
}

/** An address below the channel's base; a custom channel's whole address counts by its origin. */
export function addressBelow(target: Pick<Draft, 'type' | 'base_url'>, path: string): string {
  const base = target.base_url || (factsOf(target.type)?.baseUrl ?? '');
  const url = URL.parse(base);
  const isWholeAddress = target.type === 8 && url !== null && !/^\/(v1\/?)?$/.test(url.pathname);
  return joinVersion(isWholeAddress ? url.origin : base, path);
}

function originOf(target: Pick<Draft, 'type' | 'base_url'>): string {
  return URL.parse(addressBelow(target, ''))?.origin ?? '';
}

interface UpstreamRequest {
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON by POST; without it the call is a GET. */
  body?: unknown;
  timeoutSeconds: number;
  signal?: AbortSignal;
}

export async function callUpstream(
  { egress }: UpstreamDependencies,
  target: UpstreamTarget,
  { url, headers, body, timeoutSeconds, signal }: UpstreamRequest,
): Promise<UpstreamAnswer> {
  const started = performance.now();
  const elapsed = () => Math.max(1, Math.round(performance.now() - started));
  try {
    const response = await egress.fetch('channel', url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(headers ?? providerFor(target.type).headers(providerChannel(target))),
        ...overrides(target.header_override),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutSeconds,
      ...(signal ? { signal } : {}),
      limitBytes: ANSWER_BYTES,
    });
    const text = await response.text();
    const milliseconds = elapsed();
    const { status } = response;
    const value = parsed(text);
    const error = errorIn(value);
    if (status === 200 && value !== undefined && error === undefined) {
      return { isOk: true, status, value, milliseconds };
    }
    const said = error ?? text.replaceAll(/\s+/g, ' ').trim();
    return { isOk: false, status, milliseconds, detail: sentence(`${status} ${said}`, target.key) };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { isOk: false, status: 0, milliseconds: elapsed(), detail: sentence(said, target.key) };
  }
}

function overrides(text: string): Record<string, string> {
  if (!isJsonObject(text)) return {};
  const entries = Object.entries(JSON.parse(text) as Record<string, unknown>);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Also inside a 200: some upstreams refuse politely. */
function errorIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('error' in value)) return undefined;
  const { error } = value;
  if (error === null || error === undefined) return undefined;
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && 'message' in error && typeof error.message === 'string')
    return error.message;
  return JSON.stringify(error);
}

/** Upstreams like to repeat the key they refused. */
function sentence(text: string, key: string): string {
  const hidden = key.length < 8 ? text : text.replaceAll(key, '***');
  return hidden.length > DETAIL_CHARACTERS ? `${hidden.slice(0, DETAIL_CHARACTERS)}…` : hidden;
}
