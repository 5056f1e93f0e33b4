/** Small parts of the lists. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { WithdrawalStatusName } from '#contract/money/resellers.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import { groupDigits } from '#web/ui/format/number.ts';

export function LevelName({ level }: { level: number }) {
  const { t } = useTranslation('resellers');
  if (level === 0) return <Empty />;
  return <>{t(level === 1 ? 'level.first' : 'level.second')}</>;
}

export function UserLink({ id, name }: { id: number; name: string }) {
  return (
    <Link
      to="/user/$id"
      params={{ id: String(id) }}
      className="quiet-link"
      onClick={(event) => event.stopPropagation()}
    >
      {name || `#${id}`}
    </Link>
  );
}

const KINDS: Record<WithdrawalStatusName, StatusKind> = {
  requested: 'queued',
  approved: 'queued',
  paid: 'enabled',
  refused: 'failed',
};

export function WithdrawalState({ status }: { status: WithdrawalStatusName }) {
  const { t } = useTranslation('resellers');
  return <StatusBadge kind={KINDS[status]}>{t(`status.${status}`)}</StatusBadge>;
}

export function RowTotals({ total, of }: { total: number | undefined; of: 'rows' | 'agents' | 'customers' }) {
  const { t } = useTranslation('resellers');
  if (total === undefined) return null;
  return (
    <span>
      <b>{groupDigits(total)}</b> {t(`totals.${of}`, { count: total })}
    </span>
  );
}
