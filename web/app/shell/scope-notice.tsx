/** One line above the pages of an organization: it is suspended, or the page is about the reader's own account. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { organizationQuery } from '#web/api/queries.ts';
import type { Scope } from '#web/api/scope.ts';
import { NoticeBox, NoticeLine } from '#web/ui/feedback/notice.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { useOpenScope } from './use-open-scope.ts';

/** They know only the reader's own account. */
const PERSONAL = /^\/(setting|playground|chat|chat2link|agent)(\/|$)/;

export function ScopeNotice({ scope }: { scope: Scope }) {
  const { t } = useTranslation('organizations');
  const { data } = useQuery(organizationQuery);
  const isPersonal = useRouterState({ select: (state) => PERSONAL.test(state.location.pathname) });
  const { name } = scope;
  if (isPersonal && name !== '') return <NoticeLine>{t('frame.elsewhere', { name })}</NoticeLine>;
  if (!scope.suspended) return null;
  return (
    <NoticeBox tone="danger" isWide>
      {t('frame.paused', { name })}
      {data?.suspended_reason ? <> {t('frame.pausedFor', { reason: data.suspended_reason })}</> : null}
    </NoticeBox>
  );
}

export function ScopeGone({ isOff }: { isOff: boolean }) {
  const { t } = useTranslation('organizations');
  const open = useOpenScope();
  return (
    <EmptyState
      title={t('frame.gone')}
      text={t(isOff ? 'frame.off' : 'frame.notMember')}
      action={<Button onClick={() => open(undefined)}>{t('frame.back')}</Button>}
    />
  );
}
