// A channel of the file as the API takes it, with the variables that it names.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { ChannelEntry } from './document.ts';
import type { ConfigurationParts } from './parts.ts';
import { resolve } from './references.ts';

/** Text columns with JSON in them. */
const JSON_FIELDS = [
  'model_mapping',
  'setting',
  'status_code_mapping',
  'param_override',
  'header_override',
  'buy_price',
] as const;

export function resolvedFields(entry: ChannelEntry, variables: ConfigurationParts['variables']) {
  const missing = new Map<string, string[]>();
  const fields: Record<string, unknown> = {};
  for (const [field, raw] of Object.entries(entry)) {
    const resolved = resolve(raw, variables);
    if (resolved.missing.length > 0) missing.set(field, resolved.missing);
    else fields[field] = resolved.value;
  }
  return { fields, missing };
}

/** As the API takes it, with every field, so that one that the file leaves out goes back to its default. */
export function bodyOf({
  enabled: _enabled,
  supplier: _supplier,
  ...fields
}: Record<string, unknown>): Record<string, unknown> {
  const { type } = fields;
  const known: Record<string, number> = CHANNEL_TYPE;
  const json = JSON_FIELDS.map((field) => [
    field,
    fields[field] === undefined ? '' : JSON.stringify(fields[field]),
  ]);
  return {
    key: '',
    base_url: '',
    other: '',
    groups: ['default'],
    tag: null,
    priority: 0,
    weight: 0,
    openai_organization: '',
    test_model: '',
    max_concurrency: 0,
    ...fields,
    ...Object.fromEntries(json),
    type: typeof type === 'string' ? (known[type] ?? Number(type)) : type,
    auto_ban: fields['auto_ban'] === false ? 0 : 1,
  };
}
