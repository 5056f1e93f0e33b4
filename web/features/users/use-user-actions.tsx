/** Actions of a row. The row shows the server's answer; the query client shows errors as toasts. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ManageAction } from '#contract/admin/user-management.ts';
import type { AccountLeft, ManagedUser } from '#contract/admin/users.ts';
import { api } from '#web/api.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { AccountLeftList } from '#web/ui/account/account-left.tsx';
import { USERS_KEY, userQueries, type UserPage } from './queries.ts';

export interface UserActions {
  manage: (user: ManagedUser, action: ManageAction) => Promise<void>;
  resetTwoFactor: (user: ManagedUser) => Promise<void>;
}

export function useUserActions(): UserActions {
  const { t } = useTranslation('users');
  const client = useQueryClient();

  /** Updates the row in place, then refetches the list. */
  const show = (user: ManagedUser) => {
    client.setQueriesData<UserPage>({ queryKey: [...USERS_KEY, 'list'] }, (page) =>
      page === undefined
        ? page
        : { ...page, items: page.items.map((row) => (row.id === user.id ? user : row)) },
    );
    client.setQueryData(userQueries.one(user.id).queryKey, user);
    void client.invalidateQueries({ queryKey: USERS_KEY });
  };
  const manage = useMutation({
    mutationFn: (body: { id: number; action: ManageAction }) => api.userManagement.manage({ body }),
    onSuccess: (user) => {
      show(user);
      toast.success(t('message.done'));
    },
  });
  const reset = useMutation({
    mutationFn: (id: number) => api.userManagement.resetTwoFactor({ params: { id } }),
    onSuccess: (user) => {
      show(user);
      // After the reset only passkeys may remain as a second factor.
      if (user.two_factor) toast.warning(t('message.passkeysKept'));
      else toast.success(t('message.done'));
    },
  });

  const ask = (user: ManagedUser, what: Confirmed, left?: AccountLeft) =>
    confirm({
      title: t(`confirm.${what}Title`),
      body: (
        <>
          {t(`confirm.${what}`, { name: user.username })}
          {left ? <AccountLeftList left={left} /> : null}
        </>
      ),
      confirmLabel: t(`action.${what === 'twoFactor' ? 'resetTwoFactor' : what}`),
      danger: what !== 'promote',
    });

  return {
    manage: async (user, action) => {
      const confirmed = CONFIRMED[action];
      // The dialog shows it before the deletion, because a deleted account cannot spend its balance.
      const left = action === 'delete' ? await readLeft(user.id) : undefined;
      if (confirmed === undefined || (await ask(user, confirmed, left)))
        manage.mutate({ id: user.id, action });
    },
    resetTwoFactor: async (user) => {
      if (await ask(user, 'twoFactor')) reset.mutate(user.id);
    },
  };
}

/** Undefined when it cannot be read: the deletion is asked about without it, and the answer of the server still has it. */
const readLeft = (id: number): Promise<AccountLeft | undefined> =>
  api.userManagement.left({ params: { id } }).catch(() => undefined);

type Confirmed = 'promote' | 'demote' | 'disable' | 'remove' | 'twoFactor';

/** Enabling needs no confirmation. */
const CONFIRMED: Partial<Record<ManageAction, Confirmed>> = {
  promote: 'promote',
  demote: 'demote',
  disable: 'disable',
  delete: 'remove',
};
