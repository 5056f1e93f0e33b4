/** /topup joins features that do not import each other: the wallet, invites, subscriptions, company data, and the human check. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, type ComponentProps } from 'react';
import { errorMessage } from '#web/api/errors.ts';
import { selfQuery } from '#web/api/queries.ts';
import { mayChange, useScope } from '#web/api/scope.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';

const Wallet = lazy(() =>
  loadPart(async () => ({ default: (await import('#web/features/wallet/page.tsx')).WalletPage })),
);

const Invite = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([import('#web/features/personal/invite.tsx'), loadMessages('personal')]);
    return { default: part.Invite };
  }),
);

const LazyHumanCheck = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([
      import('#web/features/account/human-check.tsx'),
      loadMessages('account'),
    ]);
    return { default: part.HumanCheck };
  }),
);

function HumanCheck(props: ComponentProps<typeof LazyHumanCheck>) {
  return (
    <Suspense>
      <LazyHumanCheck {...props} />
    </Suspense>
  );
}

const Plans = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([import('#web/features/plans/bars.tsx'), loadMessages('plans')]);
    return { default: part.PlanBars };
  }),
);

const Company = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([
      import('#web/features/organizations/company.tsx'),
      loadMessages('organizations'),
    ]);
    return { default: part.Company };
  }),
);

const Moves = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([
      import('#web/features/organizations/moves/moves.tsx'),
      loadMessages('organizations'),
    ]);
    return { default: part.Moves };
  }),
);

const plans = (
  <Suspense fallback={<Loading />}>
    <Plans />
  </Suspense>
);

export function WalletRoutePage() {
  const scope = useScope();
  if (scope === undefined) return <OwnWallet />;
  return (
    <Suspense>
      <Wallet
        invite={undefined}
        company={
          <Suspense fallback={<Loading />}>
            <Company />
          </Suspense>
        }
        moves={
          <Suspense fallback={<Loading />}>
            <Moves />
          </Suspense>
        }
        mayPay={mayChange(scope, 'billing.manage')}
        plans={plans}
        HumanCheck={HumanCheck}
      />
    </Suspense>
  );
}

function OwnWallet() {
  const { data: self, error, refetch } = useQuery(selfQuery);
  return (
    <Suspense>
      <Wallet
        invite={
          self ? (
            <Suspense fallback={<Loading />}>
              <Invite self={self} />
            </Suspense>
          ) : error ? (
            <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />
          ) : (
            <Loading />
          )
        }
        plans={plans}
        HumanCheck={HumanCheck}
      />
    </Suspense>
  );
}
