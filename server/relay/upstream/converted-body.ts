// The body for an upstream of another format: the canonical request, adapted to channel and model, encoded in the
// upstream's format.
import { withoutBillingLine } from '#server/models/formats/anthropic-messages/billing-line.ts';
import { codecs } from '#server/models/formats/index.ts';
import { isObject } from '#server/models/formats/json.ts';
import { asCompaction, askForSummary, standsIn } from './compaction.ts';
import { answerId, closingOf, reshaperOf, type Conversion } from './conversion.ts';
import { compactEndpoint } from '#server/relay/request/endpoints.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { ruledMembers } from './model-rules.ts';
import { refuseSharedObjects } from './shared-account.ts';
import { taughtMembers } from './taught.ts';
import { canonicalReasoning } from '#server/models/reasoning-suffix.ts';
import { withPrompt } from './system-prompt.ts';
import { adjusted, callOf, overridden, type BodyTarget, type JsonRequest, type Made } from './body-parts.ts';

export function converted(request: JsonRequest, target: BodyTarget): Made {
  const { endpoint, model } = request;
  const { channel, format, suffix, mapped, notes } = target;
  const { provider, setting } = channel;
  const caller = codecs[endpoint.format];
  const upstream = format === 'own' ? provider.ownCodec : codecs[format];
  if (caller === undefined || upstream === undefined) throw new RelayError('not_supported');
  const isStream = provider.alwaysStreams === true || (request.isStream && provider.neverStreams !== true);
  const upstreamModel = suffix?.model ?? mapped;
  const isCompaction = endpoint === compactEndpoint;
  const decoded = request.canonical(notes);
  const received = format === 'anthropic-messages' ? decoded : withoutBillingLine(decoded);
  if (isCompaction) notes.push(standsIn);
  const canonical = withPrompt(
    {
      ...(isCompaction ? askForSummary(received) : received),
      model: upstreamModel,
      stream: isStream,
      ...(suffix === undefined ? {} : { reasoning: canonicalReasoning(suffix) }),
    },
    setting,
  );
  const encoded = upstream.encodeRequest(canonical, notes);
  const lost = notes.find(({ isAttachment }) => isAttachment === true);
  if (lost !== undefined)
    throw new RelayError('attachment_lost', { detail: lost.detail }, { param: lost.field });
  const body: Record<string, unknown> = isObject(encoded) ? { ...encoded } : {};
  // An address that is harmless in the caller's format may name a stored file in this one.
  if (format !== endpoint.format) refuseSharedObjects(format, body, request.own);
  if (isStream && format === 'openai-chat') {
    if (provider.reportsStreamUsage) body['stream_options'] = { include_usage: true };
    else delete body['stream_options'];
  }
  if (format !== endpoint.format) Object.assign(body, ruledMembers(format, body, upstreamModel, notes));
  Object.assign(body, taughtMembers(channel, upstreamModel, body, notes));
  overridden(channel, body);
  const call = callOf(request, format, upstreamModel, isStream);
  const id = answerId(endpoint.format, target.requestId);
  const conversion: Conversion = {
    from: endpoint.format,
    to: format,
    upstream,
    caller,
    request: canonical,
    framing: provider.framing?.(call) ?? 'sse',
    options: {
      includeUsage: request.wantsUsage || endpoint.format !== 'openai-chat',
      estimatedInput: request.estimate.promptTokens,
      request: { ...canonical, model },
      id,
      created: Math.floor(Date.now() / 1000),
    },
    notes,
    answerNotes: [],
    ...(isCompaction ? { shape: (response) => asCompaction(response, request.json.value['input']) } : {}),
    isClosing: closingOf(format),
    reshaper: reshaperOf(id, model, setting.thinkingToContent),
  };
  return {
    model: upstreamModel,
    contentType: 'application/json',
    body: JSON.stringify(adjusted(channel, body, call, notes)),
    format,
    isStream,
    conversion,
    task: undefined,
  };
}
