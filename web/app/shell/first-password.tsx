/** Loads the first-password dialog and its messages only when they are needed. */
import { lazy, Suspense } from 'react';
import type { SessionUser } from '#contract/admin/session.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { useLogout } from './use-logout.ts';

const Dialog = lazy(async () => {
  const [dialog] = await Promise.all([
    loadPart(() => import('#web/features/account/password/first-password.tsx')),
    loadMessages('account'),
  ]);
  return dialog;
});

export function FirstPassword({ user }: { user: SessionUser }) {
  const logout = useLogout();
  return (
    <Suspense>
      <Dialog user={user} onLogout={logout} />
    </Suspense>
  );
}
