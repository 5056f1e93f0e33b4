/** The wallet: balance, ways to top up, check-in, history; the parts of other features are given as properties. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useNarrow } from '#web/ui/page/breakpoints.ts';
import { Page } from '#web/ui/page/page.tsx';
import { Balance } from './balance.tsx';
import { Block } from './block.tsx';
import { CheckIn, type HumanCheckPart } from './check-in.tsx';
import { History } from './history.tsx';
import { OnlineTopUp } from './online-top-up.tsx';
import { Redeem } from './redeem.tsx';
import classes from './wallet.module.css';

interface WalletPageProps {
  /** Undefined in an organization, which neither checks in nor invites. */
  invite: ReactNode | undefined;
  /** Of an organization: the company data of its receipts. */
  company?: ReactNode;
  /** Of an organization: money from and to other balances. */
  moves?: ReactNode;
  /** The reader may pay; others read only. */
  mayPay?: boolean;
  plans: ReactNode;
  HumanCheck: HumanCheckPart;
}

export function WalletPage({ invite, company, moves, mayPay = true, plans, HumanCheck }: WalletPageProps) {
  const { t } = useTranslation('wallet');
  // In one column it would come last; on the phone the top bar shows the personal balance, not that of an organization.
  const isBalanceFirst = useNarrow() && invite === undefined;
  return (
    <Page title={t('title')}>
      <div className="scroll">
        <div className={classes.columns}>
          <div>
            {isBalanceFirst ? <Balance /> : null}
            {/* Paying comes first: it must not be below the fold. */}
            {mayPay ? (
              <>
                <OnlineTopUp />
                <Redeem />
              </>
            ) : null}
            <Block title={t('plans.title')}>{plans}</Block>
          </div>
          <div className={classes.rest}>
            <div>
              {isBalanceFirst ? null : <Balance />}
              {invite === undefined ? <History /> : <CheckIn HumanCheck={HumanCheck} />}
            </div>
            <div>
              {invite === undefined ? null : (
                <>
                  <History />
                  <Block title={t('invite.title')}>{invite}</Block>
                </>
              )}
              {moves ? <Block title={t('moves')}>{moves}</Block> : null}
              {company ? <Block title={t('company')}>{company}</Block> : null}
            </div>
          </div>
        </div>
      </div>
    </Page>
  );
}
