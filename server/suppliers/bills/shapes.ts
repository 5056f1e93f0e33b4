// Where the exports of suppliers have which figure. Several columns of one entry are added up; of several entries the first
// that the file has is used. docs/guides/suppliers.md says which shapes were checked against published header rows;
// the other names are those of earlier exports and of the vendors' APIs.
import type { BillField, BillMapping, BillShape } from '#contract/suppliers/supplier-bills.ts';

export type Columns = Partial<Record<BillField, readonly (readonly string[])[]>>;

const one = (...names: readonly string[]): readonly (readonly string[])[] => names.map((name) => [name]);

const shapes: Record<Exclude<BillShape, 'own'>, Columns> = {
  openai: {
    day: one('start_time_iso', 'start_time', 'date', 'timestamp'),
    model: one('model', 'snapshot_id', 'line_item'),
    reference: one('api_key_id', 'project_id'),
    requests: one('num_model_requests', 'n_requests'),
    input_tokens: one('input_tokens', 'n_context_tokens_total'),
    output_tokens: one('output_tokens', 'n_generated_tokens_total'),
    cost: one('amount_value', 'cost_in_major', 'cost_usd', 'cost'),
  },
  anthropic: {
    day: one('usage_date_utc', 'date'),
    model: one('model_version', 'model'),
    reference: one('api_key', 'workspace'),
    requests: one('request_count', 'requests'),
    input_tokens: [
      [
        'usage_input_tokens_no_cache',
        // A file has either the sum of the writes or its two parts.
        'usage_input_tokens_cache_write',
        'usage_input_tokens_cache_write_5m',
        'usage_input_tokens_cache_write_1h',
        'usage_input_tokens_cache_read',
      ],
      ['uncached_input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'],
      ['input_tokens'],
    ],
    output_tokens: one('usage_output_tokens', 'output_tokens'),
    cost: one('cost_usd', 'cost', 'amount'),
  },
  azure: {
    day: one('date', 'usagedate', 'usagedatetime'),
    model: one('metername', 'meter', 'productname', 'product'),
    reference: one('resourceid', 'instanceid', 'instancename', 'resourcename'),
    token_kind: one('metername', 'meter'),
    tokens: one('quantity', 'usagequantity', 'consumedquantity'),
    cost: one('costinusd', 'costusd', 'costinbillingcurrency', 'pretaxcost', 'cost'),
  },
};

export const CURRENCY_COLUMNS = ['amount_currency', 'currency', 'billingcurrency', 'billingcurrencycode'];
export const UNIT_COLUMNS = ['unitofmeasure', 'unit'];

export function columnsOf(shape: BillShape, mapping: BillMapping): Columns {
  if (shape !== 'own') return shapes[shape];
  return Object.fromEntries(
    Object.entries(mapping)
      .filter(([, name]) => name.trim() !== '')
      .map(([field, name]) => [field, one(name.trim().toLowerCase())]),
  );
}
