/** The personal tab of the settings: the user's account. */
import { useQuery } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { errorMessage } from '#web/api/errors.ts';
import { selfQuery } from '#web/api/queries.ts';
import { useStatus } from '#web/api/status.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { AccessToken } from './access-token.tsx';
import { AdminKeys } from './admin-keys.tsx';
import { Bindings } from './bindings.tsx';
import { Block } from './block.tsx';
import { DeleteAccount } from './delete-account.tsx';
import type { HumanCheckProps } from './email-dialog.tsx';
import { Invite } from './invite.tsx';
import { Models } from './models.tsx';
import { Passkeys } from './passkey-list.tsx';
import { Password } from './password.tsx';
import { Preferences } from './preferences.tsx';
import { ShadowConsent } from './shadow-consent.tsx';
import { Profile } from './profile.tsx';
import { Sessions } from './sessions.tsx';
import { TwoFactor } from './two-factor.tsx';
import { personalQueries } from './queries.ts';
import classes from './personal.module.css';

/** Parts of other features are props because features do not import each other. */
interface PersonalTabProps {
  HumanCheck: ComponentType<HumanCheckProps>;
  notices: ReactNode;
}

export function PersonalTab({ HumanCheck, notices }: PersonalTabProps) {
  const { t } = useTranslation('personal');
  const self = useQuery(selfQuery);
  const security = useQuery(personalQueries.security());
  const status = useStatus();
  const error = self.error ?? security.error;
  if (error && (!self.data || !security.data)) {
    return (
      <ErrorState
        message={errorMessage(error)}
        onRetry={() => void Promise.all([self.refetch(), security.refetch()])}
      />
    );
  }
  if (!self.data || !security.data || !status) return <Loading shape="form" />;
  return (
    <div className={classes.tab}>
      <Profile self={self.data} />
      <Block id="bindings" title={t('bindings.title')} text={t('bindings.text')}>
        <Bindings self={self.data} status={status} HumanCheck={HumanCheck} />
      </Block>
      <Block id="invite" title={t('invite.title')} text={t('invite.text')}>
        <Invite self={self.data} />
      </Block>
      <Block id="password" title={t('password.title')} text={t('password.text')}>
        <Password security={security.data} username={self.data.username} />
      </Block>
      <Block id="two-factor" title={t('twoFactor.title')} text={t('twoFactor.text')}>
        <TwoFactor security={security.data} />
      </Block>
      <Block id="passkeys" title={t('passkey.title')} text={t('passkey.text')}>
        <Passkeys passkeys={security.data.passkeys} />
      </Block>
      <Block id="token" title={t('token.title')} text={t('token.text')}>
        <AccessToken userId={self.data.id} has={security.data.has_access_token} />
      </Block>
      <Block id="admin-keys" title={t('adminKeys.title')} text={t('adminKeys.text')}>
        <AdminKeys role={self.data.role} />
      </Block>
      <Block id="sessions" title={t('sessions.title')} text={t('sessions.text')}>
        <Sessions />
      </Block>
      <Block id="notices" title={t('notices.title')} text={t('notices.text')}>
        {notices}
      </Block>
      <Block id="models" title={t('models.title')}>
        <Models />
      </Block>
      <Block id="preferences" title={t('preferences.title')}>
        <Preferences />
      </Block>
      <Block id="copies" title={t('copies.title')} text={t('copies.text')}>
        <ShadowConsent />
      </Block>
      <Block id="danger" title={t('danger.title')} danger>
        <DeleteAccount self={self.data} />
      </Block>
    </div>
  );
}
