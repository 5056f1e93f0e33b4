/** Accepts or declines an invitation; after accepting, the next click opens the organization. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ReceivedInvitation } from '#contract/admin/organization-invitations.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { openScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';
import { toast } from '#web/ui/feedback/toast.tsx';

interface AnswerProps {
  invitation: ReceivedInvitation;
  which: { id: number } | { token: string };
}

export function Answer({ invitation, which }: AnswerProps) {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const user = useUser();
  const { organization_id: id, organization_name: name, kind, role } = invitation;
  const refresh = () => client.invalidateQueries({ queryKey: ORGANIZATIONS_KEY });
  const accept = useMutation({
    meta: { silent: true },
    mutationFn: () => api.invitations.accept({ body: which }),
    onSuccess: () => toast.success(t(kind === 'join' ? 'invitation.accepted' : 'invitation.owned', { name })),
  });
  const decline = useMutation({
    meta: { silent: true },
    mutationFn: () => api.invitations.decline({ body: which }),
    onSuccess: () => {
      toast.success(t('invitation.declined'));
      return refresh();
    },
  });
  const error = accept.error ?? decline.error;
  if (accept.isSuccess)
    return (
      <div className="stack8 start">
        <p className="success">{t(kind === 'join' ? 'invitation.accepted' : 'invitation.owned', { name })}</p>
        <Button
          onClick={() =>
            user && openScope({ id, name, role, suspended: false, group: '' }, user.id, '/organization')
          }
        >
          {t('invitation.open', { name })}
        </Button>
      </div>
    );
  if (decline.isSuccess) return <p className="soft">{t('invitation.declined')}</p>;
  return (
    <>
      {error ? (
        <p className="danger" role="alert">
          {errorMessage(error)}
        </p>
      ) : null}
      <div className="flow8">
        <Button loading={accept.isPending} disabled={decline.isPending} onClick={() => accept.mutate()}>
          {t('invitation.accept')}
        </Button>
        <Button
          variant="default"
          loading={decline.isPending}
          disabled={accept.isPending}
          onClick={() => decline.mutate()}
        >
          {t('invitation.decline')}
        </Button>
      </div>
    </>
  );
}
