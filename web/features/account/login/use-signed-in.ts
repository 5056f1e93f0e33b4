/** The end of every login: store the user, show a toast, navigate. */
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { SessionUser } from '#contract/admin/session.ts';
import { queryClient } from '#web/api.ts';
import { storeUser } from '#web/api/session.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { storeLastLogin, type LoginMethod } from './last-used.ts';
import { nextPage } from './next-page.ts';

/** `isFromElsewhere`: the browser came back from a login provider. */
export function useSignedIn(next: string | undefined, { isFromElsewhere = false } = {}) {
  const { t } = useTranslation('account');
  const router = useRouter();
  return (user: SessionUser, method: LoginMethod, landing?: string) => {
    queryClient.removeQueries({ queryKey: ['self'] });
    storeLastLogin(method);
    storeUser(user);
    toast.success(t('login.success'));
    const page = nextPage(next, landing);
    // The address with a used code is no page to go back to.
    if (isFromElsewhere) router.history.replace(page);
    else router.history.push(page);
  };
}
