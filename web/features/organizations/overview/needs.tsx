/** What needs somebody of the organization: the list of the server, which is also counted in the menu. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AttentionItem } from '#contract/admin/attention.ts';
import { errorMessage } from '#web/api/errors.ts';
import { attentionQuery } from '#web/api/queries.ts';
import { useSnooze } from '#web/api/snooze.ts';
import { SeverityMark } from '#web/ui/attention/severity.tsx';
import { Snoozed, SnoozeButton } from '#web/ui/attention/snooze.tsx';
import { useItemWords } from '#web/ui/attention/use-item.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import layout from '#web/ui/input/form.module.css';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import classes from '#web/features/organizations/organizations.module.css';

/** `isSuspended`: nothing can be changed, so nothing can be hidden. */
export function Needs({ isSuspended }: { isSuspended: boolean }) {
  const { t } = useTranslation('organizations');
  const [showsAll, setShowsAll] = useState(false);
  const { data, error, refetch } = useQuery(attentionQuery);
  // That it is suspended, and why, stands above every page.
  const items = (data?.items ?? []).filter(({ kind }) => kind !== 'organization_suspended');
  const open = items.filter(({ is_snoozed }) => !is_snoozed);
  if (isSuspended && items.length === 0) return null;
  return (
    <ThingPanel title={t('overview.needs')}>
      {error && !data ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : null}
      {data && open.length === 0 ? <p className="caption">{t('overview.nothing')}</p> : null}
      <ul className={classes.needs}>
        {(showsAll ? items : open).map((item) => (
          <Need key={item.id} item={item} mayHide={!isSuspended} />
        ))}
      </ul>
      <Snoozed
        count={items.length - open.length}
        isShown={showsAll}
        onToggle={() => setShowsAll(!showsAll)}
      />
    </ThingPanel>
  );
}

function Need({ item, mayHide }: { item: AttentionItem; mayHide: boolean }) {
  const { title, detail, action, place } = useItemWords(false)(item);
  const snooze = useSnooze(item);
  return (
    <li className="row8">
      <SeverityMark severity={item.severity} />
      <span className="grow anywhere">
        {title}
        <small className="block caption">
          {item.since > 0 ? detail.replace(/[.。]$/, '') : detail}
          {item.since > 0 ? (
            <>
              {' · '}
              <Moment timestamp={item.since} />
            </>
          ) : null}
        </small>
      </span>
      <Link {...place} className={layout.link}>
        {action}
      </Link>
      {mayHide ? (
        <SnoozeButton
          name={title}
          isSnoozed={item.is_snoozed}
          isPending={snooze.isPending}
          onClick={snooze.toggle}
        />
      ) : null}
    </li>
  );
}
