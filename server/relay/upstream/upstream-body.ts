// The request for one channel: passed on as it came with a few members changed, told in the supplier's own words for a
// task, or converted into the format the upstream speaks. Everything that is changed or lost on the way is noted.
import type { CanonicalRequest, ConversionNote } from '#server/formats/canonical.ts';
import { codecs } from '#server/formats/index.ts';
import type { Format, Framing, TaskConversion, UpstreamCall } from '#server/providers/provider.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import { lossesOf, type Conversion } from './conversion.ts';
import { withoutEncrypted } from '#server/relay/conversations/conversations.ts';
import { converted } from './converted-body.ts';
import { compactEndpoint, type Fields, type RelayEndpoint } from '#server/relay/request/endpoints.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { patchMembers } from '#server/relay/request/json-scan.ts';
import { mapModel } from '#server/relay/channels/mapping.ts';
import { isReasoningModel, ruledMembers } from './model-rules.ts';
import { suffixFor, suffixMembers, type Suffixed } from '#server/relay/request/reasoning-suffix.ts';
import type { JsonBody } from '#server/relay/request/read-body.ts';
import { pathOfFormat, spokenFormat } from '#server/relay/channels/spoken-format.ts';
import { promptMembers } from './system-prompt.ts';
import { taskBody, taskOf } from './task-body.ts';

export interface UpstreamBody {
  readonly model: string;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly format: Format;
  readonly path: string;
  /** What is asked of the upstream; the caller may get something else. */
  readonly isStream: boolean;
  readonly framing: Framing;
  /** undefined: the answer passes as it comes. */
  readonly conversion: Conversion | undefined;
  readonly task: { conversion: TaskConversion; request: Record<string, unknown> } | undefined;
  readonly notes: readonly ConversionNote[];
}

/** What is known of a JSON request, whichever channel takes it. */
export interface JsonRequest {
  readonly endpoint: RelayEndpoint;
  readonly json: JsonBody;
  readonly model: string;
  readonly isStream: boolean;
  /** Members that change for every channel. */
  readonly changes: ReadonlyMap<string, string | undefined>;
  /** The caller asked for usage in the stream. */
  readonly wantsUsage: boolean;
  readonly estimate: { readonly promptTokens: number };
  readonly isStrict: boolean;
  /** Features of Anthropic's API that the caller named in a header. */
  readonly betas: readonly string[];
  /** The channel that issued the encrypted thoughts in the input. */
  readonly issuerId: number | undefined;
  /** What was given by address is content now, but only in the common language. */
  readonly isInlined: boolean;
  /** The channel's upstream has no such endpoint: it is asked for the same in another way. */
  isEmulated(channelId: number): boolean;
  /** The request in the common language, read once. */
  canonical(notes: ConversionNote[]): CanonicalRequest;
}

export function jsonFor(request: JsonRequest, channel: Channel, requestId: string): UpstreamBody {
  const { endpoint, model } = request;
  const { provider } = channel;
  const mapped = mapModel(channel.modelMapping, model);
  const format = spokenFormat(channel, endpoint.format, model);
  // A channel an administrator named may be one that cannot serve the call.
  if (format === undefined) throw new RelayError('not_supported');
  const suffix = suffixFor(format, mapped);
  const notes: ConversionNote[] = [];
  const task = taskOf(channel, endpoint.format, format);
  const made =
    task !== undefined
      ? taskBody(request, channel, mapped, format, task, notes)
      : isConverted(request, channel, format)
        ? converted(request, channel, { mapped, format, suffix, requestId }, notes)
        : passed(request, channel, mapped, suffix, notes);
  if (request.isStrict) refuseLosses(notes);
  return {
    model: made.model,
    contentType: made.contentType,
    body: made.body,
    format: made.format,
    path: pathFor(endpoint, made),
    isStream: made.isStream,
    framing: framingOf(provider, made),
    conversion: made.conversion,
    task: made.task,
    notes,
  };
}

/** Without what is the same for every way of making it. */
export type Made = Omit<UpstreamBody, 'path' | 'framing' | 'notes'>;

function refuseLosses(notes: readonly ConversionNote[]): void {
  const losses = lossesOf(notes);
  if (losses.length === 0) return;
  const detail = losses.map(({ field, what, detail: why }) => `${field} (${what}: ${why})`).join('; ');
  throw new RelayError(
    'lossy_conversion',
    { detail: detail.slice(0, 1000) },
    { param: losses[0]?.field ?? '' },
  );
}

function pathFor(
  endpoint: RelayEndpoint,
  { format, conversion }: Pick<Made, 'format' | 'conversion'>,
): string {
  const isEmulated = endpoint === compactEndpoint && conversion !== undefined;
  return format === endpoint.format && !isEmulated ? endpoint.path : pathOfFormat(format, endpoint.path);
}

function framingOf(provider: Channel['provider'], { format, model, isStream }: Made): Framing {
  if (provider.framing === undefined) return 'sse';
  return provider.framing({ format, model, isStream, path: '' });
}

function isConverted(request: JsonRequest, { id, provider, setting }: Channel, format: Format): boolean {
  const { endpoint, model, isStream } = request;
  if (format !== endpoint.format || request.isEmulated(id)) return true;
  if (codecs[format] === undefined) return false;
  if (provider.alwaysStreams === true && !isStream) return true;
  if (provider.neverStreams === true && isStream) return true;
  if (provider.takesContentOnly === true && request.isInlined) return true;
  // Events in another framing than the caller's have to be written anew.
  if (isStream && (provider.framing?.({ format, model, isStream, path: '' }) ?? 'sse') !== 'sse') return true;
  return setting.forceFormat || setting.thinkingToContent;
}

export function callOf(
  { endpoint, betas }: Pick<JsonRequest, 'endpoint' | 'betas'>,
  format: Format,
  model: string,
  isStream: boolean,
): UpstreamCall {
  return { format, path: pathFor(endpoint, { format, conversion: undefined }), model, isStream, betas };
}

/** The supplier's last word on a body. */
export function adjusted(
  channel: Channel,
  body: Record<string, unknown>,
  call: UpstreamCall,
  notes: ConversionNote[],
): Record<string, unknown> {
  return channel.provider.adjust?.(body, call, channel, notes) ?? body;
}

/** What decides about money and routing was read from the request and stays as it was read. */
const fixedMembers = new Set(['model', 'stream', 'stream_options']);

export function overridden(channel: Channel, changes: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(channel.paramOverride ?? {})) {
    if (!fixedMembers.has(name)) changes[name] = value;
  }
}

function passed(
  request: JsonRequest,
  channel: Channel,
  mapped: string,
  suffix: Suffixed | undefined,
  notes: ConversionNote[],
): Made {
  const { endpoint, json, model, isStream, changes: common } = request;
  const { provider, setting, paramOverride } = channel;
  const { format } = endpoint;
  const asksInVain = isStream && endpoint.asksForUsage && !provider.reportsStreamUsage;
  const isForeign = request.issuerId !== undefined && request.issuerId !== channel.id;
  const isTouched =
    isForeign ||
    suffix !== undefined ||
    paramOverride !== undefined ||
    setting.systemPrompt !== '' ||
    provider.adjust !== undefined ||
    isReasoningModel(mapped);
  const upstreamModel = suffix?.model ?? mapped;
  let changes = common;
  if (upstreamModel !== model || asksInVain || (isTouched && !setting.passThrough)) {
    const own = new Map(common);
    if (asksInVain) own.delete('stream_options');
    if (upstreamModel !== model && !endpoint.modelInPath) own.set('model', JSON.stringify(upstreamModel));
    if (isTouched && !setting.passThrough)
      addChanges(own, changedMembers(request, channel, upstreamModel, suffix, own, notes));
    changes = own;
  }
  const body = changes.size === 0 ? json.text : patchMembers(json.text, changes);
  const contentType = 'application/json';
  return {
    model: upstreamModel,
    contentType,
    body,
    format,
    isStream,
    conversion: undefined,
    task: undefined,
  };
}

function addChanges(changes: Map<string, string | undefined>, members: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(members))
    changes.set(name, value === undefined ? undefined : JSON.stringify(value));
}

/** Members that follow from the model's name, the channel's settings and the supplier's quirks, in this order. */
function changedMembers(
  request: JsonRequest,
  channel: Channel,
  model: string,
  suffix: Suffixed | undefined,
  made: ReadonlyMap<string, string | undefined>,
  notes: ConversionNote[],
): Record<string, unknown> {
  const { endpoint, json, isStream, issuerId } = request;
  const { format } = endpoint;
  const members: Record<string, unknown> = {};
  let fields: Fields = json.value;
  const apply = (changes: Record<string, unknown>): void => {
    if (Object.keys(changes).length === 0) return;
    Object.assign(members, changes);
    fields = without({ ...fields, ...changes });
  };
  if (issuerId !== undefined && issuerId !== channel.id && format === 'openai-responses') {
    apply({ input: withoutEncrypted(fields['input']) });
    notes.push({ field: 'input.encrypted_content', what: 'dropped', detail: 'another channel issued it' });
  }
  if (suffix !== undefined) apply(suffixMembers(format, fields, suffix));
  apply(ruledMembers(format, fields, model, notes));
  apply(promptMembers(format, fields, channel.setting));
  const overrides: Record<string, unknown> = {};
  overridden(channel, overrides);
  apply(overrides);
  if (channel.provider.adjust === undefined) return members;
  const before: Record<string, unknown> = { ...fields };
  for (const [name, value] of made) {
    if (value === undefined) delete before[name];
    else before[name] = JSON.parse(value);
  }
  const after = adjusted(channel, before, callOf(request, format, model, isStream), notes);
  if (after === before) return members;
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) members[name] = undefined;
  for (const [name, value] of Object.entries(after)) if (value !== before[name]) members[name] = value;
  return members;
}

function without(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
