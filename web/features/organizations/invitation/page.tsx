/**
 * /invitation: the one that the link of a mail names, which visitors see too, or all that wait for the reader's answer. It acts on
 * a click and not on load, because mail scanners open every link.
 */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { EmptyState, ErrorState } from '#web/ui/feedback/states.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { organizationQueries } from '#web/features/organizations/queries.ts';
import classes from '#web/features/organizations/organizations.module.css';
import { Answer } from './answer.tsx';
import { Letter } from './letter.tsx';

const route = getRouteApi('/shell/invitation');

export function InvitationPage() {
  const { t } = useTranslation('organizations');
  const { token } = route.useSearch();
  return (
    <Page title={t(token === undefined ? 'invitation.title' : 'invitation.one')}>
      <div className={`scroll ${classes.letters}`}>
        {token === undefined ? <Received /> : <ByToken token={token} />}
      </div>
    </Page>
  );
}

function ByToken({ token }: { token: string }) {
  const { t } = useTranslation('organizations');
  const user = useUser();
  const { data, error, refetch } = useQuery(organizationQueries.byToken(token));
  if (error instanceof ApiError && error.code === 'invitation_missing')
    return (
      <EmptyState
        title={t('invitation.goneTitle')}
        text={t('invitation.goneText')}
        action={
          <Button
            variant="default"
            renderRoot={(props) => <Link {...props} to={user ? '/overview' : '/login'} />}
          >
            {t(user ? 'invitation.toConsole' : 'invitation.login')}
          </Button>
        }
      />
    );
  if (error && !data) return <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <Letter invitation={data}>
      {user ? (
        <>
          <p className="note">{t('invitation.as', { name: user.username })}</p>
          <Answer invitation={data} which={{ token }} />
        </>
      ) : (
        <SignIn token={token} />
      )}
    </Letter>
  );
}

function SignIn({ token }: { token: string }) {
  const { t } = useTranslation('organizations');
  const mayRegister = useStatus()?.register_enabled !== false;
  const next = `/invitation?token=${encodeURIComponent(token)}`;
  return (
    <div className="flow8">
      <Button renderRoot={(props) => <Link {...props} to="/login" search={{ next }} />}>
        {t('invitation.signIn')}
      </Button>
      {mayRegister ? (
        <Button
          variant="default"
          renderRoot={(props) => <Link {...props} to="/register" search={{ next }} />}
        >
          {t('invitation.register')}
        </Button>
      ) : null}
    </div>
  );
}

function Received() {
  const { t } = useTranslation('organizations');
  const user = useUser();
  const { data, error, refetch } = useQuery({
    ...organizationQueries.received(),
    enabled: user !== undefined,
  });
  if (user === undefined)
    return (
      <EmptyState
        title={t('invitation.signIn')}
        action={
          <Button renderRoot={(props) => <Link {...props} to="/login" search={{ next: '/invitation' }} />}>
            {t('invitation.signIn')}
          </Button>
        }
      />
    );
  if (error && !data) return <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (data.length === 0)
    return (
      <EmptyState
        title={t('invitation.emptyTitle')}
        text={t('invitation.emptyText')}
        action={
          <Button variant="default" renderRoot={(props) => <Link {...props} to="/overview" />}>
            {t('invitation.toConsole')}
          </Button>
        }
      />
    );
  return data.map((invitation) => (
    <Letter key={invitation.id} invitation={invitation}>
      <Answer invitation={invitation} which={{ id: invitation.id }} />
    </Letter>
  ));
}
