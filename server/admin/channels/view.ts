// A channel as administrators read it: without its key, with the health of its last day.
import { isJsonObject, type ChannelView } from '#contract/relay/channel-fields.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { healthOf } from './health.ts';

export async function channelViews(
  dependencies: ChannelDependencies,
  rows: readonly Row<'channels'>[],
): Promise<ChannelView[]> {
  const health = await healthOf(
    dependencies,
    rows.map((row) => row.id),
  );
  return rows.map((row) => {
    const {
      key_sealed: _sealed,
      key_digest: _digest,
      deleted_at: _deleted,
      lessons: _lessons,
      ...shown
    } = row;
    const pauses = dependencies.limitsOf?.(row.id).pauses ?? [];
    return {
      ...shown,
      ...health(row.id),
      cooling_until: pauses.find(({ model }) => model === '')?.until ?? 0,
      paused_models: pauses.filter(({ model }) => model !== '').length,
      problem: dependencies.channelProblem?.(row.id) ?? '',
    };
  });
}

export async function oneChannelView(
  dependencies: ChannelDependencies,
  row: Row<'channels'>,
): Promise<ChannelView> {
  const [view] = await channelViews(dependencies, [row]);
  if (!view) throw new Error('one row gives one view');
  return view;
}

const HIDDEN = '***';

/** A channel in an audit row, which is kept for ever and exported: without its key, values of headers, and password of a proxy. */
export function auditedChannel(row: Row<'channels'>): Record<string, unknown> {
  const { key_digest: _digest, key_sealed: _sealed, ...rest } = row;
  return {
    ...rest,
    header_override: withMembers(rest.header_override, () => HIDDEN),
    setting: withMembers(rest.setting, (name, value) =>
      name === 'proxy' && typeof value === 'string'
        ? value.replace(/^([^/]*\/\/)?.*@/, `$1${HIDDEN}@`)
        : value,
    ),
  };
}

/** The text of a JSON object with other values. */
function withMembers(text: string, change: (name: string, value: unknown) => unknown): string {
  if (!isJsonObject(text)) return text === '' ? '' : HIDDEN;
  const members = Object.entries(JSON.parse(text) as object).map(([name, value]) => [
    name,
    change(name, value),
  ]);
  return JSON.stringify(Object.fromEntries(members));
}
