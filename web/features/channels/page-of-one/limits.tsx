/** What limits of the upstream do to a channel: what is paused, why and until when, and what is left of each model's limits. */
import { useTranslation } from 'react-i18next';
import type { ChannelLimits } from '#contract/relay/channel-limits.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';

type Left = ChannelLimits['left'][number];

interface Row {
  model: string;
  pause: ChannelLimits['pauses'][number] | undefined;
  requests: Left['requests'];
  tokens: Left['tokens'];
}

/** Paused ones first. */
export function limitRows({ pauses, left }: ChannelLimits): Row[] {
  const known = new Map(left.map((each) => [each.model, each]));
  const paused = pauses.map((pause): Row => {
    const { requests = null, tokens = null } = known.get(pause.model) ?? {};
    return { model: pause.model, pause, requests, tokens };
  });
  const names = new Set(pauses.map(({ model }) => model));
  const others = left.filter(({ model }) => !names.has(model));
  return [...paused, ...others.map((each): Row => ({ ...each, pause: undefined }))];
}

function Amount({ of }: { of: Left['requests'] }) {
  const { t } = useTranslation('channels');
  if (of === null) return <Empty />;
  const left = groupDigits(of.left);
  return (
    <span
      className={of.left < 1 ? 'danger' : undefined}
      title={t('page.limits.reset', { time: clock(of.reset_at) })}
    >
      {of.limit > 0 ? t('page.limits.leftOf', { left, limit: groupDigits(of.limit) }) : left}
    </span>
  );
}

const clock = (time: number): string => absoluteTime(time).slice(11);

function useColumns(): ThingColumn<Row>[] {
  const { t } = useTranslation('channels');
  return [
    {
      key: 'model',
      head: t('page.limits.model'),
      cell: ({ model }) => (model === '' ? t('page.limits.all') : model),
    },
    {
      key: 'state',
      head: t('page.limits.state'),
      cell: ({ pause }) =>
        pause === undefined ? (
          <span className="muted">{t('page.limits.open')}</span>
        ) : (
          <span className="danger">
            {t('page.limits.paused', { time: clock(pause.until) })} · {t(`cause.${pause.cause}`)}
          </span>
        ),
    },
    {
      key: 'requests',
      head: t('page.limits.requests'),
      isNumber: true,
      cell: ({ requests }) => <Amount of={requests} />,
    },
    {
      key: 'tokens',
      head: t('page.limits.tokens'),
      isNumber: true,
      cell: ({ tokens }) => <Amount of={tokens} />,
    },
  ];
}

export function ChannelLimitsPanel({ limits }: { limits: ChannelLimits }) {
  const { t } = useTranslation('channels');
  const rows = limitRows(limits);
  const columns = useColumns();
  if (rows.length === 0) return null;
  return (
    <ThingPanel title={t('page.limits.title')} hint={t('page.limits.hint')} isFlush>
      <ThingTable
        label={t('page.limits.title')}
        columns={columns}
        rows={rows}
        rowKey={({ model }) => model}
      />
    </ThingPanel>
  );
}
