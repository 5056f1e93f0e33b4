/** What every way of signing in does at its end: the user is stored, said hello to and sent on. */
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { SessionUser } from '#contract/session.ts';
import { queryClient } from '#web/api.ts';
import { storeUser } from '#web/api/session.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { storeWay, type LoginWay } from './last-used.ts';
import { nextPage } from './next-page.ts';

export function useSignedIn(next: string | undefined) {
  const { t } = useTranslation('account');
  const router = useRouter();
  return (user: SessionUser, way: LoginWay, landing?: string) => {
    queryClient.removeQueries({ queryKey: ['self'] });
    storeWay(way);
    storeUser(user);
    toast.success(t('login.success'));
    router.history.push(nextPage(next, landing));
  };
}
