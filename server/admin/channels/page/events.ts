// What happened to a channel and who did it: changes, state, tests, prices, bills, probes; the newest first.
import { sql } from 'kysely';
import { MOST_EVENTS, type ThingEvent } from '#contract/admin/thing-parts.ts';
import { channelOtherInfo } from '#contract/relay/channel-fields.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { auditEvents, type AuditedFields, type AuditEvent } from '#server/admin/audit-events.ts';
import { billEvents } from '#server/admin/bill-events.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { priceEvents } from '#server/admin/price-events.ts';
import { switchEvents } from '#server/admin/switch-events.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { splitList } from '#server/relay/channel-choice/abilities.ts';
import type { ChannelPageDependencies } from './dependencies.ts';

const FIELDS: AuditedFields = {
  shown: new Set([
    'name',
    'type',
    'base_url',
    'group',
    'priority',
    'weight',
    'status',
    'tag',
    'auto_ban',
    'max_concurrency',
    'test_model',
    'key_hint',
  ]),
  named: new Set([
    'models',
    'model_mapping',
    'setting',
    'param_override',
    'header_override',
    'status_code_mapping',
    'other',
    'supplier_id',
    'buy_price',
  ]),
};
const MANY = ['channel.status', 'channel.tag', 'channel.tag_change', 'channel.delete', 'channel.restore'];
const MOST_MODELS = 100;
const PROBE_DAYS = 90;
const MILLISECONDS = 1000;

export interface ChannelEvents {
  events: ThingEvent[];
  /** 0: not since the channel was made. */
  key_changed_at: number;
  /** Unix seconds of the last change of status, by an administrator or automatic. */
  state_since: number;
}

export async function readEvents(
  dependencies: ChannelPageDependencies,
  channel: Row<'channels'>,
): Promise<ChannelEvents> {
  const { store } = dependencies;
  const now = nowSeconds(dependencies);
  const [audited, switched, prices, bills, probes] = await Promise.all([
    auditEvents(store, `channel:${channel.id}`, FIELDS, { id: channel.id, actions: MANY }),
    switchEvents(store, [channel.id]),
    priceEvents(
      store,
      splitList(channel.models).slice(0, MOST_MODELS),
      splitList(channel.group)[0] ?? '',
      now,
    ),
    billEvents(store, [channel.id]),
    probeEvents(store, channel.id, now),
  ]);
  const all = [...audited, ...switched, ...testEvent(channel), ...prices, ...bills, ...probes];
  const isKey = ({ action, changes }: AuditEvent) =>
    action === 'channel.renew_key' || changes.some(({ field }) => field === 'key_hint');
  const isState = (event: ThingEvent) =>
    event.kind === 'off' ||
    event.kind === 'on' ||
    (event.kind === 'audit' && event.changes.some(({ field }) => field === 'status'));
  const newestOf = (events: readonly ThingEvent[]) => Math.max(0, ...events.map(({ at }) => at));
  const { status_time = 0 } = channelOtherInfo(channel.other_info);
  return {
    events: all.toSorted((left, right) => right.at - left.at).slice(0, MOST_EVENTS),
    key_changed_at: newestOf(audited.filter(isKey)),
    state_since: status_time || newestOf(all.filter(isState)) || channel.created_time,
  };
}

function testEvent({ test_time, response_time, other_info }: Row<'channels'>): ThingEvent[] {
  if (test_time === 0) return [];
  const { test_error = '' } = channelOtherInfo(other_info);
  return [{ kind: 'test', at: test_time, seconds: response_time / MILLISECONDS, error: test_error }];
}

/** The probes of one day and model are one event. */
async function probeEvents({ db }: Store, channelId: number, now: number): Promise<ThingEvent[]> {
  const { rows } = await sql<{ at: number; model: string; agrees: number; total: number }>`
    select max(created_at) as at, model, count(case when verdict = 'agrees' then 1 end) as agrees, count(*) as total
    from supplier_probes
    where channel_id = ${channelId} and created_at >= ${now - PROBE_DAYS * DAY_SECONDS} and verdict in ('agrees', 'differs')
    group by created_at / ${sql.lit(DAY_SECONDS)}, model order by 1 desc limit ${sql.lit(MOST_EVENTS)}`.execute(
    db,
  );
  return rows.map((row): ThingEvent => ({ kind: 'probe', ...row }));
}
