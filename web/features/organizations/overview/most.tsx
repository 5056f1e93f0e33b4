/** Who spent most, and on what, in thirty days. */
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { GroupedUsage, UsageGroup } from '#contract/admin/dashboard.ts';
import { errorMessage } from '#web/api/errors.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useColumnDecimals } from '#web/ui/format/column-decimals.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import classes from '#web/features/organizations/organizations.module.css';
import { organizationQueries, type UsageSpan } from '#web/features/organizations/queries.ts';

const KINDS = ['member', 'service_account', 'project', 'token'] as const satisfies readonly UsageGroup[];
const MODELS_SHOWN = 10;

interface Line {
  key: string | number;
  name: string;
  count: number;
  quota: number;
  /** Undefined: not one thing that the log can be filtered by. */
  search?: Record<string, string | number> | undefined;
}

/** `by`: a kind, or `tag:` and the name of a tag. */
function searchOf(by: string, id: number, name: string): Line['search'] {
  if (by.startsWith('tag:')) return { tag: `${by.slice('tag:'.length)}=${name}` };
  if (by === 'token') return name === '' ? undefined : { token: name };
  return { [by]: id };
}

/** By holder, key, or one of the tags that the organization keeps. */
export function MostSpent({ span, isAll }: { span: UsageSpan; isAll: boolean }) {
  const { t } = useTranslation('organizations');
  const [chosen, setChosen] = useState<string>(isAll ? 'member' : 'project');
  const tags = useQuery(organizationQueries.tagKeys()).data?.keys ?? [];
  const kind = KINDS.find((each) => each === chosen);
  const tag = kind === undefined ? chosen.replace(/^tag:/, '') : '';
  const { data, error, refetch } = useQuery(organizationQueries.groups(span, kind ?? 'tag', tag));
  return (
    <ThingPanel
      title={t('overview.most')}
      hint={t('overview.window')}
      more={
        <SegmentedControl
          size="xs"
          className={classes.kinds}
          aria-label={t('overview.most')}
          value={chosen}
          data={[
            ...KINDS.map((value) => ({ value: value as string, label: t(`overview.by.${value}`) })),
            ...tags.map((key) => ({ value: `tag:${key}`, label: key })),
          ]}
          onChange={setChosen}
        />
      }
      isFlush={(data?.rows.length ?? 0) > 0}
    >
      {error ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : null}
      {data ? (
        <Lines
          label={t('overview.most')}
          head={kind === undefined ? tag : t('overview.name')}
          lines={linesOf(data, kind ?? `tag:${tag}`, {
            others: t('overview.others'),
            none: t('overview.without'),
          })}
          span={span}
        />
      ) : null}
      {data || error ? null : <Loading />}
    </ThingPanel>
  );
}

/** What is not listed by name comes last, so that the amounts add up to what was charged. */
function linesOf(
  { rows, others, none }: GroupedUsage,
  by: string,
  words: { others: string; none: string },
): Line[] {
  const lines = rows.map(({ id, name, count, quota }) => ({
    key: `${id} ${name}`,
    name: name || `#${id}`,
    count,
    quota,
    search: searchOf(by, id, name),
  }));
  const rest = [
    { ...others, key: 'others', name: words.others },
    { ...none, key: 'none', name: words.none },
  ].filter(({ count, quota }) => count !== 0 || quota !== 0);
  return lines.length === 0 ? [] : [...lines, ...rest.map((row) => ({ ...row, search: undefined }))];
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
  const decimals = useColumnDecimals(lines.map(({ quota }) => quota));
  if (lines.length === 0) return <p className="caption">{t('overview.none')}</p>;
  const sum = lines.reduce((all, { quota }) => all + quota, 0);
  return (
    <div className={classes.lines}>
      <ThingTable
        label={label}
        columns={lineColumns({ t, head, span, sum, decimals })}
        rows={lines}
        rowKey={({ key }) => key}
      />
    </div>
  );
}

interface LineColumns {
  t: ReturnType<typeof useTranslation<'organizations'>>['t'];
  head: string;
  span: UsageSpan;
  sum: number;
  decimals: number;
}

function lineColumns({ t, head, span, sum, decimals }: LineColumns): ThingColumn<Line>[] {
  return [
    {
      key: 'name',
      head,
      cell: ({ name, search }) =>
        search === undefined ? (
          <span>{name}</span>
        ) : (
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
      cell: ({ quota }) => <Quota quota={quota} decimals={decimals} />,
    },
    {
      key: 'share',
      head: t('overview.share'),
      isNumber: true,
      cell: ({ quota }) => (sum > 0 ? `${((quota / sum) * 100).toFixed(1)}%` : ''),
    },
  ];
}
