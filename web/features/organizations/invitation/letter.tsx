/** An invitation to join, or the offer of an ownership: by whom, to what, with which role, until when. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReceivedInvitation } from '#contract/admin/organization-invitations.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { useRoleName } from '#web/features/organizations/role-words.ts';
import classes from '#web/features/organizations/organizations.module.css';

export function Letter({ invitation, children }: { invitation: ReceivedInvitation; children: ReactNode }) {
  const { t } = useTranslation('organizations');
  const roleName = useRoleName();
  const { kind, organization_name, role, invited_by_name, state, expires_at } = invitation;
  return (
    <section className={classes.letter} aria-label={organization_name}>
      <p className="soft">{t(`invitation.${kind}`, { name: invited_by_name })}</p>
      <h2 className="amount anywhere">{organization_name}</h2>
      <p>
        <b>{t('invitation.role', { role: roleName(role) })}</b>
      </p>
      <p className="soft">{t(`invitation.means.${role}`)}</p>
      {state === 'open' ? (
        <>
          <p className="note">
            {t('invitation.until')} <Moment timestamp={expires_at} absolute />
          </p>
          {children}
        </>
      ) : (
        <p className="warning">{t(`invitation.over.${state}`)}</p>
      )}
    </section>
  );
}
