// Token counting for every model: the upstream's count if it offers one, else our estimate. Free, but counted as a request
// in the limits of token and user.
import { modelAllowed, type Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { isObject, member } from '#server/models/formats/json.ts';
import { readBetas } from '#server/models/providers/anthropic/betas.ts';
import type { Format } from '#server/models/providers/provider.ts';
import { admitFree } from '#server/relay/money/admission.ts';
import { payersOf } from '#server/relay/money/payers.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { toolsFor } from '#server/relay/pipeline/dispatch.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { callerError, httpFailure } from '#server/relay/errors/upstream-failure.ts';
import { patchMembers } from '#server/relay/request/json-members.ts';
import { mapModel } from '#server/relay/channel-choice/mapping.ts';
import { refuseSharedObjects } from '#server/relay/upstream-body/shared-account.ts';
import { readSuffix } from '#server/models/reasoning-suffix.ts';
import type { JsonBody } from '#server/relay/request/read-body.ts';
import { geminiEstimate, messagesEstimate, responsesEstimate } from '#server/relay/request/request-size.ts';
import { countedAs, pricedFor, withTargets } from '#server/relay/virtual-models/listed.ts';
import { selectChannel, spokenFormat } from '#server/relay/channel-choice/select.ts';
import { noChannel } from '#server/relay/channel-choice/unserved.ts';

export interface CountWish {
  readonly format: 'anthropic-messages' | 'gemini-generate' | 'openai-responses';
  readonly model: string;
  readonly json: JsonBody;
}

const UPSTREAM_SECONDS = 10;

export async function countTokens(
  core: Core,
  incoming: Incoming,
  callerAsKnown: Caller,
  wish: CountWish,
): Promise<Record<string, unknown>> {
  const { model: asked, format } = wish;
  const { generateContentRequest: inner } = wish.json.value;
  for (const value of [wish.json.value, member(inner)]) refuseSharedObjects(format, value);
  if (!modelAllowed(callerAsKnown, asked)) throw new RelayError('model_not_allowed', { model: asked });
  // Counting is free, so the plan's remaining quota is not checked: the group of the first payer applies.
  const virtual = core.virtualModels.current.get(asked);
  const parts = virtual === undefined ? core : withTargets(core, virtual);
  const caller = payersOf(parts, callerAsKnown, asked)[0]?.caller ?? callerAsKnown;
  const model = countedAs(core, asked, caller.group);
  const tiers = core.catalog.current.tiers(caller.group, model);
  const wanted = { endpoint: { format }, model, isStrict: true };
  const selection = selectChannel(core.orders.of(tiers, wanted.model), [], core.breaker, wanted);
  if (!('channel' in selection)) throw noChannel(core.catalog.current, caller.group, model, asked);
  const { channel } = selection;
  await admitFree(core, incoming.requestId, {
    caller,
    model: pricedFor(core, asked, caller.group),
    upstreamModel: model,
    channelId: channel.id,
    channelName: channel.name,
    address: incoming.address,
    path: PATHS[format],
    isStream: false,
    isWebSocket: false,
    reasoningEffort: '',
    attempts: [],
  });
  const isNative = spokenFormat(channel, format, model) === format && channel.provider.countsTokens === true;
  const counted = isNative ? await upstreamCount(core, incoming, channel, { ...wish, model }) : undefined;
  return counted ?? estimated(wish);
}

function estimated({ format, json }: CountWish): Record<string, unknown> {
  if (format === 'anthropic-messages') return { input_tokens: messagesEstimate(json.value).promptTokens };
  if (format === 'openai-responses')
    return { object: 'response.input_tokens', input_tokens: responsesEstimate(json.value).promptTokens };
  const inner = json.value['generateContentRequest'];
  return { totalTokens: geminiEstimate(isObject(inner) ? inner : json.value).promptTokens };
}

const PATHS: Readonly<Record<CountWish['format'], string>> = {
  'anthropic-messages': '/v1/messages/count_tokens',
  'gemini-generate': '/v1beta/models/{model}:countTokens',
  'openai-responses': '/v1/responses/input_tokens',
};

/** Undefined when the upstream cannot count; a request it refuses as invalid is the caller's error. */
async function upstreamCount(
  core: Core,
  { request }: Incoming,
  channel: Channel,
  { format, model, json }: CountWish,
): Promise<Record<string, unknown> | undefined> {
  const mapped = mapModel(channel.modelMapping, model);
  const upstreamModel = readSuffix(mapped)?.model ?? mapped;
  const betas = readBetas(request.headers.get('anthropic-beta'));
  const call = {
    format: format as Format,
    path: PATHS[format],
    model: upstreamModel,
    isStream: false,
    betas,
  };
  const headers: Record<string, string> = { ...channel.headers, 'Content-Type': 'application/json' };
  for (const name of ['anthropic-version', 'anthropic-beta']) {
    const given = request.headers.get(name)?.slice(0, 1000);
    if (format !== 'anthropic-messages' || given === undefined || channel.ownHeaders.has(name)) continue;
    const { provider } = channel;
    const value = provider.callerHeader === undefined ? given : provider.callerHeader(name, given);
    if (value !== undefined) headers[name] = value;
  }
  try {
    const { provider } = channel;
    const url = new URL(provider.url(channel, call));
    const text = bodyFor(format, upstreamModel, json);
    const body =
      provider.adjust === undefined
        ? text
        : JSON.stringify(provider.adjust(member(JSON.parse(text)), call, channel, []));
    const unsigned = { method: 'POST', url, body, headers };
    Object.assign(headers, await provider.authorize?.(channel, unsigned, toolsFor(core, channel)));
    const response = await core.egress.fetch('channel', url.href, {
      method: 'POST',
      headers,
      body,
      timeoutSeconds: UPSTREAM_SECONDS,
      ...(channel.setting.proxy === '' ? {} : { proxy: channel.setting.proxy }),
      limitBytes: 64 * 1024,
    });
    const said = await response.text();
    if (response.status === 400) throw callerError(httpFailure(400, 400, said, undefined));
    if (!response.ok) return undefined;
    const answer = member(JSON.parse(said));
    const count = answer[format === 'anthropic-messages' ? 'input_tokens' : 'totalTokens'];
    return typeof count === 'number' ? answer : undefined;
  } catch (error) {
    if (error instanceof RelayError) throw error;
    return undefined;
  }
}

function bodyFor(format: Format, model: string, { text, value }: JsonBody): string {
  if (format === 'anthropic-messages') return patchMembers(text, new Map([['model', JSON.stringify(model)]]));
  const inner = value['generateContentRequest'];
  if (!isObject(inner)) return text;
  // The nested request repeats the model's name.
  return JSON.stringify({ ...value, generateContentRequest: { ...inner, model: `models/${model}` } });
}
