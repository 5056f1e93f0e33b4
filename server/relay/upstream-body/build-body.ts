// Builds the body for one channel: the caller's text with changed members, a provider's own task protocol, or a
// conversion. Every change and loss is noted for the conversion receipt.
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { geminiEmbeddings } from '#server/models/formats/gemini-embeddings.ts';
import { codecs } from '#server/models/formats/index.ts';
import { FormatError } from '#server/models/formats/json.ts';
import type { Format, TaskConversion } from '#server/models/providers/provider.ts';
import { suffixFor, suffixMembers } from '#server/models/reasoning-suffix.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { lessonsOf } from '#server/relay/channel-choice/lessons.ts';
import { mapModel } from '#server/relay/channel-choice/mapping.ts';
import { spokenFormat } from '#server/relay/channel-choice/select.ts';
import { withoutEncrypted } from '#server/relay/conversations/conversations.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Fields } from '#server/relay/request/endpoints.ts';
import { patchMembers } from '#server/relay/request/json-members.ts';
import { promptMembers, taughtFormat, taughtMembers } from './channel-members.ts';
import { refuseLosses } from './conversion.ts';
import { convertBody } from './converted-body.ts';
import {
  adjustBody,
  callOf,
  applyOverrides,
  pathFor,
  type BodyTarget,
  type JsonRequest,
  type Made,
  type UpstreamBody,
} from './upstream-body.ts';

export function buildBody(request: JsonRequest, channel: Channel, requestId: string): UpstreamBody {
  const { endpoint, model } = request;
  const { provider } = channel;
  const mapped = mapModel(channel.modelMapping, model);
  const spoken = spokenFormat(channel, endpoint.format, model);
  // Possible only for a channel an administrator chose by `sk-KEY-<channel>`.
  if (spoken === undefined) throw new RelayError('not_supported');
  const suffix = suffixFor(spoken, mapped);
  const notes: ConversionNote[] = [];
  const upstreamModel = suffix?.model ?? mapped;
  const lessons = lessonsOf(channel, upstreamModel);
  const format =
    lessons.length === 0
      ? spoken
      : taughtFormat(channel, lessons, { model: upstreamModel, format: spoken }, request, notes);
  const task = taskOf(channel, endpoint.format, format);
  const target = { channel, format, mapped, suffix, requestId, notes };
  const made =
    task !== undefined
      ? taskBody(request, target, task)
      : isConverted(request, channel, format)
        ? convertBody(request, target)
        : passBody(request, target, lessons.length > 0);
  if (request.isStrict) refuseLosses(notes);
  return {
    model: made.model,
    contentType: made.contentType,
    body: made.body,
    format: made.format,
    path: pathFor(endpoint, made),
    isStream: made.isStream,
    framing:
      provider.framing?.({ format: made.format, model: made.model, isStream: made.isStream, path: '' }) ??
      'sse',
    conversion: made.conversion,
    task: made.task,
    notes,
  };
}

function isConverted(request: JsonRequest, { id, provider, setting }: Channel, format: Format): boolean {
  const { endpoint, model, isStream } = request;
  if (format !== endpoint.format || request.isEmulated(id)) return true;
  if (codecs[format] === undefined) return false;
  if (provider.alwaysStreams === true && !isStream) return true;
  if (provider.neverStreams === true && isStream) return true;
  if (provider.takesContentOnly === true && request.isInlined) return true;
  // Events in another framing must be rewritten as server-sent events.
  if (isStream && (provider.framing?.({ format, model, isStream, path: '' }) ?? 'sse') !== 'sse') return true;
  return setting.forceFormat || setting.thinkingToContent;
}

function taskOf(channel: Channel, caller: Format, spoken: Format): TaskConversion | undefined {
  const own = channel.provider.tasks?.[spoken];
  if (caller !== 'gemini-embeddings' || spoken === caller) return own;
  if (own === undefined) return geminiEmbeddings;
  return {
    encodeRequest: (body, notes) => own.encodeRequest(geminiEmbeddings.encodeRequest(body, notes), notes),
    decodeResponse: (body, request) =>
      geminiEmbeddings.decodeResponse(
        own.decodeResponse(body, geminiEmbeddings.encodeRequest(request, [])),
        request,
      ),
  };
}

function taskBody(request: JsonRequest, target: BodyTarget, conversion: TaskConversion): Made {
  const { channel, mapped, format, notes } = target;
  const { json, isStream, changes } = request;
  const given: Record<string, unknown> = { ...json.value, model: mapped };
  for (const [name, value] of changes) if (value === undefined) delete given[name];
  const encoded = encodeTask(conversion, given, notes);
  applyOverrides(channel, encoded);
  const call = callOf(request, format, mapped, isStream);
  const body = JSON.stringify(adjustBody(channel, encoded, call, notes));
  return {
    model: mapped,
    contentType: 'application/json',
    body,
    format,
    isStream,
    conversion: undefined,
    task: { conversion, request: given },
  };
}

/** A request the protocol cannot express is the caller's error (400). */
function encodeTask(
  conversion: TaskConversion,
  given: Record<string, unknown>,
  notes: ConversionNote[],
): Record<string, unknown> {
  try {
    return { ...conversion.encodeRequest(given, notes) };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new RelayError('invalid_body', { detail: error.message }, { param: error.path || 'body' });
  }
}

/** For an upstream that speaks the caller's format: the caller's text with only the changed members replaced. */
function passBody(request: JsonRequest, target: BodyTarget, hasLessons: boolean): Made {
  const { channel, mapped, suffix } = target;
  const { endpoint, json, model, isStream, changes: common } = request;
  const { provider, setting, paramOverride } = channel;
  const { format } = endpoint;
  const upstreamModel = suffix?.model ?? mapped;
  const asksInVain = isStream && endpoint.asksForUsage && !provider.reportsStreamUsage;
  const isForeign = request.issuerId !== undefined && request.issuerId !== channel.id;
  const isTouched =
    isForeign ||
    suffix !== undefined ||
    paramOverride !== undefined ||
    setting.systemPrompt !== '' ||
    provider.adjust !== undefined ||
    hasLessons;
  let changes = common;
  if (upstreamModel !== model || asksInVain || (isTouched && !setting.passThrough)) {
    const own = new Map(common);
    if (asksInVain) own.delete('stream_options');
    if (upstreamModel !== model && !endpoint.modelInPath) own.set('model', JSON.stringify(upstreamModel));
    if (isTouched && !setting.passThrough) {
      const members = changedMembers(request, target, upstreamModel, own);
      for (const [name, value] of Object.entries(members))
        own.set(name, value === undefined ? undefined : JSON.stringify(value));
    }
    changes = own;
  }
  const body = changes.size === 0 ? json.text : patchMembers(json.text, changes);
  return {
    model: upstreamModel,
    contentType: 'application/json',
    body,
    format,
    isStream,
    conversion: undefined,
    task: undefined,
  };
}

/** Order matters: foreign reasoning, suffix, what the upstream refused, system prompt, overrides, then the provider's adjustments. */
function changedMembers(
  request: JsonRequest,
  { channel, suffix, notes }: BodyTarget,
  model: string,
  made: ReadonlyMap<string, string | undefined>,
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
  apply(taughtMembers(channel, model, fields, notes));
  apply(promptMembers(format, fields, channel.setting));
  const overrides: Record<string, unknown> = {};
  applyOverrides(channel, overrides);
  apply(overrides);
  if (channel.provider.adjust === undefined) return members;
  const before: Record<string, unknown> = { ...fields };
  for (const [name, value] of made) {
    if (value === undefined) delete before[name];
    else before[name] = JSON.parse(value);
  }
  const after = adjustBody(channel, before, callOf(request, format, model, isStream), notes);
  if (after === before) return members;
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) members[name] = undefined;
  for (const [name, value] of Object.entries(after)) if (value !== before[name]) members[name] = value;
  return members;
}

function without(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
