// The request for an upstream that speaks the caller's format: the caller's text with only the changed members replaced.
import { withoutEncrypted } from '#server/relay/conversations/conversations.ts';
import type { Fields } from '#server/relay/request/endpoints.ts';
import { patchMembers } from '#server/relay/request/json-scan.ts';
import { suffixMembers } from '#server/models/reasoning-suffix.ts';
import { adjusted, callOf, overridden, type BodyTarget, type JsonRequest, type Made } from './body-parts.ts';
import { lessonsOf } from '#server/relay/channels/lessons.ts';
import { promptMembers } from './system-prompt.ts';
import { taughtMembers } from './taught.ts';

export function passed(request: JsonRequest, target: BodyTarget): Made {
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
    lessonsOf(channel, upstreamModel).length > 0;
  let changes = common;
  if (upstreamModel !== model || asksInVain || (isTouched && !setting.passThrough)) {
    const own = new Map(common);
    if (asksInVain) own.delete('stream_options');
    if (upstreamModel !== model && !endpoint.modelInPath) own.set('model', JSON.stringify(upstreamModel));
    if (isTouched && !setting.passThrough)
      addChanges(own, changedMembers(request, target, upstreamModel, own));
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
