/** The ownership: an open offer, or a new one. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { hasRight } from '#contract/admin/organization-rights.ts';
import type { OrganizationView } from '#contract/admin/organizations.ts';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { OfferDialog } from '#web/features/organizations/members/offer-dialog.tsx';

export function Ownership({ organization }: { organization: OrganizationView }) {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const [isOffering, setIsOffering] = useState(false);
  const { ownership_offer: offer, role, members } = organization;
  const withdraw = useMutation({
    mutationFn: () => api.organizations.withdrawOwnership(),
    onSuccess: () => toast.success(t('setting.withdrawn')),
    onSettled: () => client.invalidateQueries({ queryKey: ORGANIZATIONS_KEY }),
  });
  if (!hasRight(role, 'ownership.hand_over')) return <p className="soft">{t('setting.notOwner')}</p>;
  return (
    <div className="stack8 start">
      {offer ? (
        <p>
          {t('setting.offered', { name: offer.username })}{' '}
          <span className="note">
            {t('invitation.until')} <Moment timestamp={offer.expires_at} absolute />
          </span>
        </p>
      ) : (
        <p className="soft">{t('setting.none')}</p>
      )}
      {offer ? (
        <Button variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
          {t('setting.withdraw')}
        </Button>
      ) : (
        <Button variant="default" disabled={members < 2} onClick={() => setIsOffering(true)}>
          {t('setting.offer')}
        </Button>
      )}
      {isOffering ? <OfferDialog onClose={() => setIsOffering(false)} /> : null}
    </div>
  );
}
