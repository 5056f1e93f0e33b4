/** In − used = left as one line, what came in by kind, and the last movements; named as the statement names them. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { UserMoney, UserPageView } from '#contract/admin/user-page.ts';
import { Quota } from '#web/ui/format/amount.tsx';
import { useDisplay, type Display } from '#web/ui/format/display.ts';
import { useKindName } from '#web/ui/format/ledger-kinds.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import classes from '#web/features/users/users.module.css';

type NameOf = (movement: { kind: string; account: string }) => string;

function useMovementName(): NameOf {
  const { t } = useTranslation('wallet');
  const kindName = useKindName();
  return ({ kind, account }) => kindName(kind, t('statement.unknown', { kind, account }));
}

export function Money({ money, userId }: { money: UserMoney; userId: number }) {
  const { t } = useTranslation('users');
  const display = useDisplay();
  const nameOf = useMovementName();
  const { came_in, used, left, held, used_of_plans, lines } = money;
  const shown = (quota: number) => <b>{renderQuota(quota, display, 2)}</b>;
  return (
    <ThingPanel
      title={t('page.money')}
      hint={t('page.moneyHint')}
      more={
        <>
          <span className="small soft tabular">
            {t('page.cameIn')} {shown(came_in)} − {t('page.used')} {shown(used)} = {t('page.left')}{' '}
            {shown(left)}
            {held > 0 ? <> · {t('page.held', { held: renderQuota(held, display, 2) })}</> : null}
          </span>
          <Link to="/statement" search={{ user: userId }}>
            {t('page.openStatement')}
          </Link>
        </>
      }
      isFlush={lines.length > 0}
    >
      {lines.length === 0 ? <p className="caption">{t('page.nothingIn')}</p> : null}
      {lines.length > 0 ? (
        <ThingTable
          label={t('page.money')}
          rows={lines}
          rowKey={({ kind, account }) => `${kind} ${account}`}
          columns={lineColumns(t, nameOf, money, display)}
        />
      ) : null}
      {used_of_plans > 0 ? (
        <p className={`caption ${classes.under}`}>
          {t('page.usedOfPlans', { amount: renderQuota(used_of_plans, display, 2) })}
        </p>
      ) : null}
    </ThingPanel>
  );
}

function Signed({ amount }: { amount: number }) {
  return (
    <span className="nowrap tabular">
      {amount < 0 ? '−' : '+'}
      <Quota quota={Math.abs(amount)} />
    </span>
  );
}

export function Entries({ entries }: Pick<UserPageView, 'entries'>) {
  const { t } = useTranslation('users');
  const nameOf = useMovementName();
  if (entries.length === 0) return null;
  return (
    <ThingPanel title={t('page.entries')} hint={t('page.entriesHint')} isFlush>
      <ThingTable
        label={t('page.entries')}
        rows={entries}
        rowKey={({ id }) => id}
        columns={entryColumns(t, nameOf)}
      />
    </ThingPanel>
  );
}

function lineColumns(
  t: ReturnType<typeof useTranslation<'users'>>['t'],
  nameOf: NameOf,
  { lines, came_in }: UserMoney,
  display: Display,
): ThingColumn<UserMoney['lines'][number]>[] {
  return [
    { key: 'what', head: t('page.what'), cell: nameOf, foot: t('page.cameIn') },
    {
      key: 'count',
      head: t('page.count'),
      isNumber: true,
      cell: ({ count }) => groupDigits(count),
      foot: groupDigits(lines.reduce((sum, { count }) => sum + count, 0)),
    },
    {
      key: 'amount',
      head: t('page.amount'),
      isNumber: true,
      cell: ({ amount }) => <Signed amount={amount} />,
      foot: <b>{renderQuota(came_in, display, 2)}</b>,
    },
  ];
}

function entryColumns(
  t: ReturnType<typeof useTranslation<'users'>>['t'],
  nameOf: NameOf,
): ThingColumn<UserPageView['entries'][number]>[] {
  return [
    { key: 'what', head: t('page.what'), cell: nameOf },
    { key: 'note', head: t('page.note'), cell: ({ note }) => <span className="anywhere">{note}</span> },
    {
      key: 'amount',
      head: t('page.amount'),
      isNumber: true,
      cell: ({ amount }) => <Signed amount={amount} />,
    },
    {
      key: 'time',
      head: t('page.time'),
      isNumber: true,
      cell: ({ created_at }) => <Moment timestamp={created_at} />,
    },
  ];
}
