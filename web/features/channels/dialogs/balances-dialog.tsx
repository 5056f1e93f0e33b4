/** The channels whose balance could not be read, each with the reason and a link to its form. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import type { BalanceFailure } from '#web/features/channels/use-channel-actions.tsx';
import classes from './dialogs.module.css';

interface BalancesDialogProps {
  failures: readonly BalanceFailure[];
  onClose: () => void;
}

export function BalancesDialog({ failures, onClose }: BalancesDialogProps) {
  const { t } = useTranslation('channels');
  return (
    <DialogFrame width={560} onClose={onClose} title={t('balanceFailures.title', { count: failures.length })}>
      <ul className={classes.failures}>
        {failures.map(({ id, name, error }) => (
          <li key={id}>
            <Link to="/channel/$id" params={{ id: String(id) }} onClick={onClose}>
              #{id} {name}
            </Link>
            <span>{error}</span>
          </li>
        ))}
      </ul>
    </DialogFrame>
  );
}
