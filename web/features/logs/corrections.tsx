/** Corrections of a charge by re-rating: from, to, and the note in the ledger. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import type { LogView } from '#contract/admin/logs.ts';
import { useUser } from '#web/api/session.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import type { LogDetails } from './other.ts';
import classes from './detail.module.css';

/** The row as it was charged: its price explains that charge, not the corrected one. */
export function asCharged(row: LogView, details: LogDetails): { row: LogView; details: LogDetails } {
  const [first] = details.corrections;
  if (first === undefined) return { row, details };
  return { row: { ...row, quota: first.from }, details: { ...details, plan: undefined } };
}

const titleOf = (isUndo: boolean) => (isUndo ? 'corrected.undone' : 'corrected.title');

export function Corrections({ details }: { details: LogDetails }) {
  const { t } = useTranslation('logs');
  const display = useDisplay();
  const user = useUser();
  if (details.corrections.length === 0) return null;
  const money = (quota: number) => renderQuota(quota, display, 6);
  return (
    <dl className={classes.facts}>
      {details.corrections.map(({ run, note, from, to, isUndo }) => (
        <div key={note}>
          <dt>
            {user && isRoot(user.role) ? (
              <Link to="/rerating" search={{ open: run }}>
                {t(titleOf(isUndo), { run })}
              </Link>
            ) : (
              t(titleOf(isUndo), { run })
            )}
          </dt>
          <dd>
            {t('corrected.change', { from: money(from), to: money(to) })} <code>{note}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}
