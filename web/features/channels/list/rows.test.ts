import { describe, expect, test } from 'bun:test';
import type { ChannelView } from '#contract/relay/channel-fields.ts';
import { channelsOf, tagRow, tagRows } from './rows.ts';

const idle = Array.from({ length: 24 }, () => ({ calls: 0, errors: 0 }));

function channel(id: number, fields: Partial<ChannelView> = {}): ChannelView {
  return {
    id,
    name: `channel-${id}`,
    type: 1,
    base_url: '',
    other: '',
    models: 'a,b',
    group: 'default',
    model_mapping: '',
    tag: null,
    priority: 0,
    weight: 0,
    setting: '',
    openai_organization: '',
    test_model: '',
    auto_ban: 1,
    status_code_mapping: '',
    param_override: '',
    header_override: '',
    max_concurrency: 0,
    supplier_id: 0,
    buy_price: '',
    status: 1,
    response_time: 0,
    used_quota: 0,
    balance: 0,
    balance_updated_time: 0,
    test_time: 0,
    created_time: 0,
    other_info: '',
    refused_formats: '',
    key_hint: '',
    health: idle,
    broken_streams: 0,
    first_token_p50: 0,
    first_token_p95: 0,
    last_error: null,
    cooling_until: 0,
    paused_models: 0,
    problem: '',
    ...fields,
  };
}

describe('tag rows', () => {
  test('REL-4.16 a tag is enabled if any child is, and disabled when none is', () => {
    expect(tagRow('t', [channel(1, { status: 2 }), channel(2)], true).status).toBe(1);
    expect(tagRow('t', [channel(1, { status: 2 }), channel(2, { status: 3 })], true).status).toBe(2);
  });

  test('REL-4.17 REL-4.18 priority and weight are blank when the children differ', () => {
    const same = tagRow(
      't',
      [channel(1, { priority: 5, weight: 2 }), channel(2, { priority: 5, weight: 2 })],
      true,
    );
    expect([same.priority, same.weight]).toEqual([5, 2]);
    const mixed = tagRow(
      't',
      [channel(1, { priority: 5, weight: 2 }), channel(2, { priority: 0, weight: 3 })],
      true,
    );
    expect([mixed.priority, mixed.weight]).toEqual([undefined, undefined]);
  });

  test('a parent unites groups and models, sums use and traffic, averages tested times', () => {
    const busy = [...idle.slice(1), { calls: 3, errors: 1 }];
    const row = tagRow(
      't',
      [
        channel(1, { group: 'default,vip', models: 'a', used_quota: 10, response_time: 100, health: busy }),
        channel(2, { group: 'vip,svip', models: 'a,b', used_quota: 5, response_time: 300, health: busy }),
        channel(3),
      ],
      true,
    );
    expect(row.groups).toEqual(['default', 'vip', 'svip']);
    expect(row.models).toEqual(['a', 'b']);
    expect([row.usedQuota, row.responseTime]).toEqual([15, 200]);
    expect(row.health.at(-1)).toEqual({ calls: 6, errors: 2 });
  });

  test('tags first with their channels, untagged channels after them; a closed tag hides its channels', () => {
    const list = [channel(1, { tag: 'x' }), channel(2), channel(3, { tag: 'x' })];
    expect(tagRows(list, new Set()).map((row) => row.id)).toEqual(['tag:x', '1', '3', '2']);
    expect(tagRows(list, new Set(['x'])).map((row) => row.id)).toEqual(['tag:x', '2']);
  });

  test('a selected tag selects all of its channels, each counted once', () => {
    const rows = tagRows([channel(1, { tag: 'x' }), channel(2, { tag: 'x' })], new Set());
    expect(channelsOf(rows.slice(0, 2)).map(({ id }) => id)).toEqual([1, 2]);
  });
});
