/** The sheet of a statement: opening, movements, closing, then usage by model and by token, then the entries. */
import { useTranslation } from 'react-i18next';
import type { StatementView } from '#contract/money/statements.ts';
import { useScope } from '#web/api/scope.ts';
import { useStatus } from '#web/api/status.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { fullQuota, groupDigits } from '#web/ui/format/number.ts';
import { utcTime } from '#web/ui/format/time.ts';
import { PaperHead, PaperNotes, PaperTable, withDetail, type PaperColumn } from '#web/ui/paper/paper.tsx';
import { useKindName } from '#web/ui/format/ledger-kinds.ts';

export function StatementSheet({ statement }: { statement: StatementView }) {
  const { t } = useTranslation('wallet');
  const { user, start, end, made_at, time_zone } = statement;
  const siteName = useStatus()?.system_name ?? '';
  const isShared = useScope() !== undefined;
  const isOpen = made_at < end;
  const name = user.display_name && user.display_name !== user.username ? ` (${user.display_name})` : '';
  return (
    <>
      <PaperHead
        from={<b>{siteName}</b>}
        title={t('statement.heading', { month: statement.month })}
        facts={[
          isShared
            ? [t('statement.organization'), `${user.display_name} #${user.id}`]
            : [t('statement.user'), `${user.username}${name} #${user.id}`],
          [t('statement.period'), `${utcTime(start).slice(0, 10)} – ${utcTime(end - 1).slice(0, 10)}`],
          [t('statement.zone'), time_zone],
          [t('statement.made'), utcTime(made_at)],
        ]}
      />
      <Movements statement={statement} />
      <Usage statement={statement} />
      <Entries statement={statement} />
      <PaperNotes>
        {isOpen ? <p>{t('statement.open')}</p> : null}
        <p>{t('statement.exact', { zone: time_zone })}</p>
        {statement.log_cleaned_before > start ? (
          <p>{t('statement.cleaned', { day: utcTime(statement.log_cleaned_before).slice(0, 10) })}</p>
        ) : null}
      </PaperNotes>
    </>
  );
}

/** Money with all its digits, so that the amounts of a sheet add up; quota where the site shows quota. */
function useExactAmount(): (quota: number) => string {
  const display = useDisplay();
  return (quota) => {
    const { money, quota: units } = fullQuota(quota, display);
    return display.displayInCurrency ? money : units;
  };
}

interface Line {
  key: string;
  name: string;
  amount: number;
  count?: number;
}

function Movements({ statement }: { statement: StatementView }) {
  const { t } = useTranslation('wallet');
  const kindName = useKindName();
  const exact = useExactAmount();
  const rows: Line[] = [
    { key: 'opening', name: t('statement.opening'), amount: statement.opening },
    ...statement.lines.map(({ kind, account, amount, count }) => ({
      key: `${kind} ${account}`,
      name: kindName(kind, t('statement.unknown', { kind, account })),
      amount,
      count,
    })),
    { key: 'closing', name: t('statement.closing'), amount: statement.closing },
  ];
  const columns: PaperColumn<Line>[] = [
    { header: t('statement.what'), cell: ({ name }) => name },
    {
      header: t('statement.count'),
      isNumber: true,
      cell: ({ count }) => (count === undefined ? '' : groupDigits(count)),
    },
    {
      header: t('statement.units'),
      isNumber: true,
      isWide: true,
      cell: ({ amount }) => groupDigits(amount).replace('-', '−'),
    },
    { header: t('statement.amount'), isNumber: true, cell: ({ amount }) => exact(amount) },
  ];
  return (
    <PaperTable
      title={t('statement.movements')}
      columns={columns}
      rows={rows}
      rowKey={({ key }) => key}
      isTotal={({ count }) => count === undefined}
    />
  );
}

type Used = StatementView['usage']['total'];
type UsedRow = Used & { key: string; name: string; isTotal?: boolean };

function Usage({ statement }: { statement: StatementView }) {
  const { t } = useTranslation('wallet');
  const { total, models, tokens, groups, difference, plan } = statement.usage;
  if (total.count === 0 && total.quota === 0 && difference === 0) return null;
  const end: UsedRow = { key: 'total', name: t('statement.total'), isTotal: true, ...total };
  const line = (key: 'difference' | 'plan', quota: number): UsedRow[] =>
    quota === 0 ? [] : [{ ...NONE, key, name: t(`statement.${key}`), quota }];
  const corrected = [...line('difference', difference), ...line('plan', -plan)];
  const all = (rows: UsedRow[]) => [
    ...rows,
    ...restOf(rows, total, t('statement.others')),
    end,
    ...corrected,
  ];
  return (
    <>
      <UsedTable
        title={t('statement.byModel')}
        header={t('statement.model')}
        rows={all(models.map((model) => ({ key: `m ${model.name}`, ...model })))}
      />
      <UsedTable
        title={t('statement.byToken')}
        header={t('statement.token')}
        rows={all(
          tokens.map(({ id, name, ...used }) => ({
            key: `t ${id}`,
            name: id === 0 ? t('statement.playground') : name || `#${id}`,
            ...used,
          })),
        )}
      />
      {groups.map(({ by, tag, rows, none }) => (
        <UsedTable
          key={`${by} ${tag}`}
          title={by === 'tag' ? t('statement.byTag', { tag }) : t(`statement.by.${by}`)}
          header={by === 'tag' ? tag : t(`statement.holder.${by}`)}
          rows={all([
            ...rows.map(({ id, name, ...used }) => ({
              key: `${by} ${id} ${name}`,
              name: name || `#${id}`,
              ...used,
            })),
            ...(Object.values(none).some((value) => value !== 0)
              ? [{ key: 'none', name: t('statement.without'), ...none }]
              : []),
          ])}
        />
      ))}
    </>
  );
}

const NONE: Used = { quota: 0, count: 0, prompt_tokens: 0, completion_tokens: 0 };

/** What is not listed by name, if there is any. */
function restOf(rows: readonly Used[], total: Used, name: string): UsedRow[] {
  const rest = { ...total };
  for (const row of rows) for (const key of Object.keys(NONE) as (keyof Used)[]) rest[key] -= row[key];
  return Object.values(rest).some((value) => value !== 0) ? [{ key: 'rest', name, ...rest }] : [];
}

function UsedTable({ title, header, rows }: { title: string; header: string; rows: UsedRow[] }) {
  const { t } = useTranslation('wallet');
  const exact = useExactAmount();
  const figure = (name: keyof Used, words: string, isWide = true): PaperColumn<UsedRow> => ({
    header: words,
    isNumber: true,
    isWide,
    cell: (row) => groupDigits(row[name]),
  });
  const columns: PaperColumn<UsedRow>[] = [
    { header, cell: ({ name }) => name },
    figure('count', t('statement.calls'), false),
    figure('prompt_tokens', t('statement.prompt')),
    figure('completion_tokens', t('statement.completion')),
    { header: t('statement.amount'), isNumber: true, cell: ({ quota }) => exact(quota) },
  ];
  return (
    <PaperTable
      title={title}
      columns={columns}
      rows={rows}
      rowKey={({ key }) => key}
      isTotal={({ isTotal = false }) => isTotal}
    />
  );
}

type Entry = StatementView['entries'][number];

function Entries({ statement }: { statement: StatementView }) {
  const { t } = useTranslation('wallet');
  const kindName = useKindName();
  const exact = useExactAmount();
  const { entries, entries_total, time_zone } = statement;
  if (entries.length === 0) return null;
  const columns: PaperColumn<Entry>[] = [
    { header: `${t('statement.time')} (${time_zone})`, cell: ({ created_at }) => utcTime(created_at) },
    {
      header: t('statement.what'),
      cell: ({ kind, account, note }) =>
        withDetail(kindName(kind, t('statement.unknown', { kind, account })), note),
    },
    { header: t('statement.amount'), isNumber: true, cell: ({ amount }) => exact(amount) },
  ];
  return (
    <>
      <PaperTable
        title={t('statement.entries')}
        columns={columns}
        rows={entries}
        rowKey={({ id }) => String(id)}
      />
      {entries_total > entries.length ? (
        <PaperNotes>
          <p>{t('statement.more', { count: entries_total - entries.length })}</p>
        </PaperNotes>
      ) : null}
    </>
  );
}
