/** Ends the session on the server, then clears the local record, also when the server is unreachable. */
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, queryClient } from '#web/api.ts';
import { leaveScope } from '#web/api/scope.ts';
import { clearUser } from '#web/api/session.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { removeDrafts } from '#web/ui/input/draft.ts';
import { mayDiscardAll } from '#web/ui/input/unsaved.ts';

export function useLogout(): () => void {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const { mutate } = useMutation({
    mutationFn: () => api.session.logout(),
    onSuccess: () => toast.success(t('account.loggedOut')),
    onSettled: async () => {
      removeDrafts();
      leaveScope();
      clearUser();
      await navigate({ to: '/login' });
      queryClient.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' });
    },
  });
  return () =>
    void mayDiscardAll().then((may) => {
      if (may) mutate();
    });
}
