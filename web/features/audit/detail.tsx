/** A row in full: every field before and after, and its ids. */
import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditView } from '#contract/admin/audit.ts';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { currencyOf, fieldChanges, isSame, labelOf } from './change.ts';
import type { AuditFilter, AuditScope } from './queries.ts';
import { useAuditWords } from '#web/ui/audit/words.ts';
import { TargetLink } from './target-link.tsx';
import classes from './audit.module.css';

interface DetailProps {
  row: AuditView;
  names: Readonly<Record<string, string>>;
  scope: AuditScope;
  onFilter: (part: Partial<AuditFilter>) => void;
}

export function Detail({ row, names, scope, onFilter }: DetailProps) {
  const { t } = useTranslation('audit');
  const words = useAuditWords(names);
  const changes = fieldChanges(row);
  const currency = currencyOf(row);
  return (
    <div className={`stack12 ${classes.detail}`}>
      {changes.length === 0 ? <p className="muted">{t('detail.none')}</p> : null}
      {changes.length > 0 ? (
        <table className={classes.changes}>
          <thead>
            <tr>
              <th scope="col">{t('column.change')}</th>
              <th scope="col">{t('detail.before')}</th>
              <th scope="col">{t('detail.after')}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <tr key={`${change.name} ${change.of ?? ''}`} data-same={isSame(change) || undefined}>
                <th scope="row">{labelOf(change, words)}</th>
                <td>{words.value(change.name, change.before ?? '', row.target, currency)}</td>
                <td>{words.value(change.name, change.after ?? '', row.target, currency)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      <dl className={`stack4 small ${classes.facts}`}>
        <div>
          <dt>{t('column.action')}</dt>
          <dd>
            <code>{row.action}</code>
          </dd>
        </div>
        <div>
          <dt>{t('detail.request')}</dt>
          <dd>
            <code>{row.request_id}</code>
            <CopyButton text={row.request_id} />
          </dd>
        </div>
        {scope === 'site' ? (
          <div>
            <dt>{t('detail.hash')}</dt>
            <dd>
              <code>{row.hash}</code>
            </dd>
          </div>
        ) : null}
        <div>
          <dt>{t('detail.filter')}</dt>
          <dd className={classes.filters}>
            {row.actor_name ? (
              <UnstyledButton onClick={() => onFilter({ actor: row.actor_name })}>
                <span className="muted">{t('column.actor')}</span> {row.actor_name}
              </UnstyledButton>
            ) : null}
            <UnstyledButton onClick={() => onFilter({ action: row.action })}>
              {words.action(row.action)}
            </UnstyledButton>
            {row.target ? (
              <UnstyledButton onClick={() => onFilter({ target: row.target })}>
                <span className="muted">{t('column.target')}</span> {names[row.target] ?? row.target}
              </UnstyledButton>
            ) : null}
          </dd>
        </div>
      </dl>
    </div>
  );
}

/** A row on the phone: what was done and when, by whom and to what. */
interface CardProps {
  row: AuditView;
  names: Readonly<Record<string, string>>;
  scope: AuditScope;
  children: ReactNode;
}

export function AuditCard({ row, names, scope, children }: CardProps) {
  const { t } = useTranslation('audit');
  const words = useAuditWords();
  return (
    <>
      <div className={`row12 between shrink ${classes.cardLine}`}>
        <span>{words.action(row.action)}</span>
        <span className="muted">
          <Moment timestamp={row.created_at} />
        </span>
      </div>
      <div className={`row12 between shrink ${classes.cardLine}`}>
        <span>{row.actor_name || t('nobody')}</span>
        <TargetLink target={row.target} names={names} scope={scope} />
      </div>
      {children}
    </>
  );
}
