/** What a list or panel shows instead of rows: nothing yet, no match, not allowed, or an error in place. */
import { Button } from '@mantine/core';
import { IconLock, IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './feedback.module.css';

/** The picture of the empty state: an unfinished tally. */
function OpenTally() {
  return (
    <svg width="88" height="40" viewBox="0 0 88 40" aria-hidden className={classes.tally}>
      {[0, 48].map((x) => (
        <g key={x} fill="none" stroke="var(--bar)" strokeWidth="3" strokeLinecap="butt">
          {[5, 13, 21, 29].slice(0, x === 0 ? 4 : 2).map((post) => (
            <path key={post} d={`M${x + post} 4V36`} />
          ))}
          {x === 0 ? <path d="M0 27 34 13" stroke="var(--page)" strokeWidth="9" /> : null}
          {x === 0 ? <path d="M0 27 34 13" /> : null}
          {x === 0
            ? null
            : [21, 29].map((post) => (
                <path key={post} d={`M${x + post} 4V36`} strokeDasharray="2 4" strokeWidth="1.5" />
              ))}
        </g>
      ))}
    </svg>
  );
}

export function EmptyState({ title, text, action }: { title: string; text?: ReactNode; action?: ReactNode }) {
  return (
    <div className={`stack8 row8 ${classes.state}`}>
      <OpenTally />
      <p className="title">{title}</p>
      {text ? <p className={classes.stateText}>{text}</p> : null}
      {action}
    </div>
  );
}

export interface ActiveFilter {
  label: string;
  value: string;
}

export function NoMatch({ filters, onClear }: { filters: readonly ActiveFilter[]; onClear: () => void }) {
  const { t } = useTranslation('ui');
  return (
    <div className={`stack8 row8 ${classes.state}`}>
      <p className="title">{t('state.noMatch')}</p>
      <div className={`flow6 ${classes.filters}`}>
        {filters.map((filter) => (
          <span key={filter.label} className={`caption ${classes.filter}`}>
            {filter.label}
            <b>{filter.value}</b>
          </span>
        ))}
      </div>
      <Button variant="default" onClick={onClear}>
        {t('filter.clearAll')}
      </Button>
    </div>
  );
}

export function NotAllowed({ text }: { text?: string }) {
  const { t } = useTranslation('ui');
  return (
    <div className={`stack8 row8 ${classes.state}`}>
      <IconLock size={24} stroke={1.4} className={classes.lock} />
      <p className="title">{t('state.notAllowed')}</p>
      <p className={classes.stateText}>{text ?? t('state.notAllowedText')}</p>
    </div>
  );
}

interface ErrorStateProps {
  message: string;
  requestId?: string;
  onRetry?: () => void;
}

export function ErrorState({ message, requestId, onRetry }: ErrorStateProps) {
  const { t } = useTranslation('ui');
  return (
    <div className={`row16 between ${classes.error}`} role="alert">
      <div>
        <p className="danger">{message}</p>
        {requestId ? (
          <p className="top2 caption">
            {t('state.requestId')} <code>{requestId}</code>
          </p>
        ) : null}
      </div>
      {onRetry ? (
        <Button variant="default" leftSection={<IconRefresh size={14} stroke={1.6} />} onClick={onRetry}>
          {t('action.retry')}
        </Button>
      ) : null}
    </div>
  );
}
