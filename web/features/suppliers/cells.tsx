/** The values of a supplier as the table, the cards and the opened row show them. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { languageOf, type Language } from '#contract/language.ts';
import { SIGNAL_NAMES } from '#contract/suppliers/supplier-report.ts';
import type { SupplierView } from '#contract/suppliers/suppliers.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { namesJoined } from '#web/ui/format/joined.ts';

const LOW = 60;
const GOOD = 90;

export const isLow = ({ score }: Pick<SupplierView, 'score'>) => score !== null && score < LOW;

export function useLanguage(): Language {
  return languageOf(useTranslation().i18n.language);
}

export function ChannelName({ supplier }: { supplier: SupplierView }) {
  const { t } = useTranslation('suppliers');
  return (
    <span className="row8 shrink nowrap">
      <Link
        to="/channel/$id"
        params={{ id: String(supplier.channel_id) }}
        className="shrink cut quiet-link"
        title={supplier.channel_name}
        onClick={(event) => event.stopPropagation()}
      >
        {supplier.channel_name || `#${supplier.channel_id}`}
      </Link>
      {supplier.is_trusted ? <Tag post="success">{t('trusted')}</Tag> : null}
    </span>
  );
}

function kindOf(score: number): StatusKind {
  if (score < LOW) return 'failed';
  return score < GOOD ? 'auto-disabled' : 'enabled';
}

export function Score({ supplier: { score } }: { supplier: Pick<SupplierView, 'score'> }) {
  const { t } = useTranslation('suppliers');
  if (score === null) return <StatusBadge kind="queued">{t('tooFew')}</StatusBadge>;
  return <StatusBadge kind={kindOf(score)}>{score}</StatusBadge>;
}

export function FoundText({ supplier: { models, score } }: { supplier: SupplierView }) {
  const { t } = useTranslation('suppliers');
  const language = useLanguage();
  const signals = new Set(models.flatMap(({ findings }) => findings.map(({ signal }) => signal)));
  if (signals.size === 0) return score === null ? <Empty /> : <>{t('nothing')}</>;
  return (
    <span className="shrink cut">
      {namesJoined(
        [...signals].map((signal) => SIGNAL_NAMES[signal][language]),
        language,
      )}
    </span>
  );
}

export function Weight({ supplier: { weight_factor } }: { supplier: SupplierView }) {
  return weight_factor === 1 ? <Empty /> : <>{`× ${weight_factor}`}</>;
}
