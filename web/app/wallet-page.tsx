/** /topup joins two features that do not import each other: the wallet and, as its card, the invites of the account. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { selfQuery } from '#web/api/queries.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';

const Wallet = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/wallet/page.tsx')).WalletPage })),
);

const Invite = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([import('#web/features/personal/invite.tsx'), loadMessages('personal')]);
    return { default: part.Invite };
  }),
);

export function WalletRoutePage() {
  const { data: self } = useQuery(selfQuery);
  return (
    <Suspense>
      <Wallet invite={<Suspense>{self ? <Invite self={self} /> : null}</Suspense>} />
    </Suspense>
  );
}
