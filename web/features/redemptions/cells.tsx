/** The cells of a code, shared by rows and cards. */
import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  REDEMPTION_NEVER_EXPIRES,
  redemptionStateAt,
  type RedemptionBatch,
  type RedemptionState,
  type RedemptionView,
} from '#contract/money/redemptions.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { QuotaBar } from '#web/ui/badge/posts.tsx';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { maskSecret } from '#web/ui/copy/mask.ts';
import { Moment, useNow } from '#web/ui/format/moment.tsx';
import { CellButton } from '#web/ui/grid/cell-button.tsx';
import classes from './redemptions.module.css';

const KINDS: Record<RedemptionState, StatusKind> = {
  unused: 'enabled',
  disabled: 'disabled',
  used: 'queued',
  expired: 'expired',
};

export function StateCell({ code }: { code: RedemptionView }) {
  const { t } = useTranslation('redemptions');
  const state = redemptionStateAt(code, useNow());
  return <StatusBadge kind={KINDS[state]}>{t(`status.${state}`)}</StatusBadge>;
}

export function KeyCell({ code }: { code: RedemptionView }) {
  const { t } = useTranslation('redemptions');
  return (
    <span className={classes.key}>
      <code>{maskSecret(code.key)}</code>
      <CopyButton text={code.key} label={t('action.copyOne')} />
    </span>
  );
}

interface BatchCellProps {
  batch: RedemptionBatch | undefined;
  onFilter: (batch: string) => void;
}

/** How much of the batch was redeemed; a click shows only this batch. */
export function BatchCell({ batch, onFilter }: BatchCellProps) {
  const { t } = useTranslation('redemptions');
  if (!batch) return <Empty />;
  const label = t('batch.progress', { used: batch.used, total: batch.total });
  const only = t('batch.only', { name: batch.name });
  const progress = `${batch.used}/${batch.total}`;
  return (
    <Tooltip label={`${only} · ${label}`}>
      <span>
        <CellButton label={`${progress} ${only}`} onOpen={() => onFilter(batch.batch)}>
          <span className={`row8 ${classes.batch}`}>
            <QuotaBar used={batch.used} total={batch.total} off={batch.used === 0} label={label} />
            <span>{progress}</span>
          </span>
        </CellButton>
      </span>
    </Tooltip>
  );
}

export function UsedByCell({ code }: { code: RedemptionView }) {
  const { t } = useTranslation('redemptions');
  if (code.used_user_id === 0) return <Empty />;
  return (
    <Link
      to="/user/$id"
      params={{ id: String(code.used_user_id) }}
      className={classes.user}
      aria-label={`${t('action.user')}: ${t('usedBy', { id: code.used_user_id, name: code.used_username })}`}
      onClick={(event) => event.stopPropagation()}
    >
      {code.used_username || `#${code.used_user_id}`}
    </Link>
  );
}

export function ExpiryCell({ code }: { code: RedemptionView }) {
  const { t } = useTranslation('redemptions');
  if (code.expired_time === REDEMPTION_NEVER_EXPIRES) return <span className="muted">{t('never')}</span>;
  return <Moment timestamp={code.expired_time} />;
}

export function RedeemedCell({ code }: { code: RedemptionView }) {
  return code.redeemed_time > 0 ? <Moment timestamp={code.redeemed_time} absolute /> : <Empty />;
}
