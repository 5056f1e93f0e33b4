// The body for an upstream of another format: the canonical request, adapted to channel and model, encoded in the
// upstream's format.
import { unixSeconds } from '#contract/time.ts';
import { withoutBillingLine } from '#server/models/formats/anthropic-messages/billing-line.ts';
import type { CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import { codecs } from '#server/models/formats/index.ts';
import { isObject, objects, text, type Json } from '#server/models/formats/json.ts';
import { openAiModel, type OpenAiModel } from '#server/models/formats/openai-models.ts';
import type { Format } from '#server/models/providers/provider.ts';
import { canonicalReasoning } from '#server/models/reasoning-suffix.ts';
import { effortIn } from '#server/relay/channel-choice/refusal-lesson.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { compactEndpoint, type Fields } from '#server/relay/request/endpoints.ts';
import { taughtMembers, withPrompt } from './channel-members.ts';
import { answerId, closingOf, reshaperOf, type Conversion } from './conversion.ts';
import { refuseSharedObjects } from './shared-account.ts';
import {
  adjustBody,
  callOf,
  applyOverrides,
  type BodyTarget,
  type JsonRequest,
  type Made,
} from './upstream-body.ts';

export function convertBody(request: JsonRequest, target: BodyTarget): Made {
  const { endpoint, model, shownModel = model } = request;
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
  if (isCompaction) notes.push(STANDS_IN);
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
  applyOverrides(channel, body);
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
      request: { ...canonical, model: shownModel },
      id,
      created: unixSeconds(),
    },
    notes,
    answerNotes: [],
    ...(isCompaction ? { shape: (response) => asCompaction(response, request.json.value['input']) } : {}),
    isClosing: closingOf(format),
    reshaper: reshaperOf(id, shownModel, setting.thinkingToContent),
  };
  return {
    model: upstreamModel,
    contentType: 'application/json',
    body: JSON.stringify(adjustBody(channel, body, call, notes)),
    format,
    isStream,
    conversion,
    task: undefined,
  };
}

// Emulates /v1/responses/compact for upstreams without it: the model summarises the conversation, and the answer has the
// shape of a compaction (the user's messages, and the summary in place of everything else).
const SUMMARY_REQUEST = `Summarise this conversation so that the work can go on from the summary alone. Keep: the goal and every \
constraint, decisions and their reasons, files and commands with their exact names, results that matter, and what is left \
to do. Leave out pleasantries. Answer with the summary only.`;

/** The summary is a model answer and is billed like one. */
const STANDS_IN: ConversionNote = {
  field: 'compaction',
  what: 'approximated',
  detail: 'the upstream has none; the model was asked for a summary, charged as a call of its own',
};

function askForSummary(request: CanonicalRequest): CanonicalRequest {
  const {
    tools: _tools,
    toolChoice: _choice,
    parallelToolCalls: _parallel,
    responseFormat: _format,
    ...rest
  } = request;
  return {
    ...rest,
    stream: false,
    messages: [...request.messages, { role: 'user', content: [{ type: 'text', text: SUMMARY_REQUEST }] }],
  };
}

/** `response`: the summary as a response; `input`: the conversation as the caller sent it. */
function asCompaction(response: Json, input: unknown): Json {
  const summary = objects(response['output'])
    .flatMap((item) => objects(item['content']))
    .map((part) => text(part['text']))
    .join('');
  const said = objects(input)
    .filter((item) => (item['type'] ?? 'message') === 'message' && item['role'] === 'user')
    .map((item) => ({ ...item, type: 'message' }));
  return {
    id: response['id'],
    object: 'response.compaction',
    created_at: response['created_at'],
    output: [
      ...said,
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: `Summary of the conversation so far:\n${summary}` }],
      },
    ],
    usage: response['usage'],
  };
}

// OpenAI's reasoning models, which callers of other formats do not know to be such, take no sampling parameters, and
// `developer` instead of `system`. A call in the upstream's own format is not touched.

/** Default values are accepted by the models and pass. */
const NEUTRAL: Readonly<Record<string, number>> = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
};

/** The members to replace for this model; undefined removes one. */
function ruledMembers(
  format: Format,
  fields: Fields,
  model: string,
  notes: ConversionNote[],
): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  const facts = openAiModel(model);
  if (!facts.isReasoning || (format !== 'openai-chat' && format !== 'openai-responses')) return changes;
  if ((effortIn(fields) || facts.usualEffort) !== 'none') {
    for (const [name, usual] of Object.entries(NEUTRAL)) {
      const value = fields[name];
      if (value === undefined || value === null || value === usual) continue;
      changes[name] = undefined;
      notes.push({ field: name, what: 'dropped', detail: 'the model samples in its own way' });
    }
  }
  const messages = format === 'openai-chat' ? asDeveloper(fields['messages'], facts) : undefined;
  if (messages !== undefined) changes['messages'] = messages;
  return changes;
}

function asDeveloper(messages: unknown, { hasDeveloper }: OpenAiModel): unknown[] | undefined {
  if (!hasDeveloper || !Array.isArray(messages)) return undefined;
  const [first, ...rest] = messages as unknown[];
  if (!isObject(first) || first['role'] !== 'system') return undefined;
  return [{ ...first, role: 'developer' }, ...rest];
}
