/** Who spent most, and on what, in thirty days. */
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RankedHolders } from '#contract/admin/dashboard.ts';
import { errorMessage } from '#web/api/errors.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { organizationQueries, type UsageSpan } from '#web/features/organizations/queries.ts';

const KINDS = ['members', 'service_accounts', 'projects'] as const;
type Kind = keyof RankedHolders;
const MODELS_SHOWN = 10;

interface Line {
  key: string | number;
  name: string;
  count: number;
  quota: number;
  search: { member?: number; service_account?: number; project?: number; model?: string };
}

const SEARCH = {
  members: (member: number) => ({ member }),
  service_accounts: (service_account: number) => ({ service_account }),
  projects: (project: number) => ({ project }),
} as const;

export function MostSpent({ span, isAll }: { span: UsageSpan; isAll: boolean }) {
  const { t } = useTranslation('organizations');
  const [kind, setKind] = useState<Kind>(isAll ? 'members' : 'projects');
  const { data, error, refetch } = useQuery(organizationQueries.holders(span));
  const lines = data?.[kind].map(({ id, name, count, quota }) => ({
    key: id,
    name,
    count,
    quota,
    search: SEARCH[kind](id),
  }));
  return (
    <ThingPanel
      title={t('overview.most')}
      hint={t('overview.window')}
      more={
        <SegmentedControl
          size="xs"
          aria-label={t('overview.most')}
          value={kind}
          data={KINDS.map((value) => ({ value, label: t(`overview.by.${value}`) }))}
          onChange={setKind}
        />
      }
      isFlush={(lines?.length ?? 0) > 0}
    >
      {error ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : null}
      {lines ? (
        <Lines label={t('overview.most')} head={t('overview.name')} lines={lines} span={span} />
      ) : null}
      {lines || error ? null : <Loading />}
    </ThingPanel>
  );
}

export function MostModels({ span }: { span: UsageSpan }) {
  const { t } = useTranslation('organizations');
  const { data } = useQuery(organizationQueries.usage(span));
  if (data === undefined || data.length === 0) return null;
  const models = new Map<string, Line>();
  for (const { model_name: name, count, quota } of data) {
    const line = models.get(name) ?? { key: name, name, count: 0, quota: 0, search: { model: name } };
    models.set(name, { ...line, count: line.count + count, quota: line.quota + quota });
  }
  const lines = [...models.values()].toSorted((a, b) => b.quota - a.quota).slice(0, MODELS_SHOWN);
  return (
    <ThingPanel title={t('overview.what')} hint={t('overview.window')} isFlush>
      <Lines label={t('overview.what')} head={t('overview.model')} lines={lines} span={span} />
    </ThingPanel>
  );
}

function Lines({
  label,
  head,
  lines,
  span,
}: {
  label: string;
  head: string;
  lines: readonly Line[];
  span: UsageSpan;
}) {
  const { t } = useTranslation('organizations');
  if (lines.length === 0) return <p className="caption">{t('overview.none')}</p>;
  const sum = lines.reduce((all, { quota }) => all + quota, 0);
  return (
    <ThingTable
      label={label}
      columns={lineColumns(t, head, span, sum)}
      rows={lines}
      rowKey={({ key }) => key}
    />
  );
}

function lineColumns(
  t: ReturnType<typeof useTranslation<'organizations'>>['t'],
  head: string,
  span: UsageSpan,
  sum: number,
): ThingColumn<Line>[] {
  return [
    {
      key: 'name',
      head,
      cell: ({ name, search }) => (
        <Link to="/log" search={{ ...search, from: span.from, to: span.to }} className="quiet-link">
          {name}
        </Link>
      ),
    },
    { key: 'calls', head: t('overview.calls'), isNumber: true, cell: ({ count }) => groupDigits(count) },
    {
      key: 'amount',
      head: t('overview.amount'),
      isNumber: true,
      cell: ({ quota }) => <Quota quota={quota} />,
    },
    {
      key: 'share',
      head: t('overview.share'),
      isNumber: true,
      cell: ({ quota }) => (sum > 0 ? `${((quota / sum) * 100).toFixed(1)}%` : ''),
    },
  ];
}
