/** The wallet: balance, ways to top up, check-in, history; the parts of other features are given as properties. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Page } from '#web/ui/page/page.tsx';
import { Balance } from './balance.tsx';
import { Block } from './block.tsx';
import { CheckIn, type HumanCheckPart } from './check-in.tsx';
import { History } from './history.tsx';
import { OnlineTopUp } from './online-top-up.tsx';
import { Redeem } from './redeem.tsx';
import classes from './wallet.module.css';

interface WalletPageProps {
  invite: ReactNode;
  plans: ReactNode;
  HumanCheck: HumanCheckPart;
}

export function WalletPage({ invite, plans, HumanCheck }: WalletPageProps) {
  const { t } = useTranslation('wallet');
  return (
    <Page title={t('title')}>
      <div className="scroll">
        <div className={classes.columns}>
          <div>
            {/* Paying comes first: it must not be below the fold. */}
            <OnlineTopUp />
            <Redeem />
            <Block title={t('plans.title')}>{plans}</Block>
          </div>
          <div>
            <Balance />
            <CheckIn HumanCheck={HumanCheck} />
            <History />
            <Block title={t('invite.title')}>{invite}</Block>
          </div>
        </div>
      </div>
    </Page>
  );
}
