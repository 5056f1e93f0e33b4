/** The sessions of the account, each with a logout. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SessionView } from '#contract/admin/security.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { Row } from './block.tsx';
import { personalQueries, SESSIONS_KEY } from './queries.ts';

const PHONES = /iphone|android|ipad|ios/i;

export function Sessions() {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  const client = useQueryClient();
  const sessions = useQuery(personalQueries.sessions());
  const refresh = () => client.invalidateQueries({ queryKey: SESSIONS_KEY });
  const end = useMutation({
    mutationFn: (id: string) => api.security.endSession({ params: { id } }),
    onSuccess: () => toast.success(t('sessions.ended')),
    onSettled: refresh,
  });
  const endOthers = useMutation({
    mutationFn: () => api.security.endOtherSessions(),
    onSuccess: (count) => toast.success(t('sessions.endedMany', { count })),
    onSettled: refresh,
  });
  const askOthers = async () => {
    const sure = await confirm({
      title: t('sessions.endOthersTitle'),
      body: t('sessions.endOthersText'),
      confirmLabel: t('sessions.endOthers'),
      danger: true,
    });
    if (sure) endOthers.mutate();
  };
  if (sessions.error && !sessions.data)
    return <ErrorState message={errorMessage(sessions.error)} onRetry={() => void sessions.refetch()} />;
  if (!sessions.data) return <PostLoader label={ui('grid.loading')} />;
  const others = sessions.data.filter((session) => !session.current);
  const nameOf = ({ browser, system }: SessionView) =>
    browser && system ? t('sessions.on', { browser, system }) : browser || system || t('sessions.unknown');
  return (
    <div className="stack">
      {sessions.data.map((session) => (
        <Row
          key={session.id}
          icon={
            PHONES.test(session.system) ? (
              <IconDeviceMobile size={17} stroke={1.6} aria-hidden />
            ) : (
              <IconDeviceDesktop size={17} stroke={1.6} aria-hidden />
            )
          }
          name={<span title={session.user_agent}>{nameOf(session)}</span>}
          value={
            <>
              {session.ip === '' ? '' : `${session.ip} · `}
              {t('sessions.seen')} <Moment timestamp={session.seen_at} />
            </>
          }
        >
          {session.current ? (
            <Tag>{t('sessions.current')}</Tag>
          ) : (
            <Button
              variant="default"
              loading={end.isPending && end.variables === session.id}
              aria-label={`${t('sessions.end')} ${nameOf(session)}`}
              onClick={() => end.mutate(session.id)}
            >
              {t('sessions.end')}
            </Button>
          )}
        </Row>
      ))}
      {others.length > 0 ? (
        <Row name="">
          <Button variant="default" loading={endOthers.isPending} onClick={() => void askOthers()}>
            {t('sessions.endOthers')}
          </Button>
        </Row>
      ) : null}
    </div>
  );
}
