/** A token on the phone: name and state, key and use, bar and amount. */
import type { ReactNode } from 'react';
import type { TokenView } from '#contract/tokens.ts';
import { KeyCell, NameCell, QuotaAmount, QuotaMeter, RecentCell, StateCell } from './cells.tsx';
import classes from './tokens.module.css';

interface TokenCardProps {
  token: TokenView;
  ownGroup: string;
  menu: ReactNode;
}

export function TokenCard({ token, ownGroup, menu }: TokenCardProps) {
  return (
    <>
      <div className={classes.cardLine}>
        <span className={classes.cardName}>
          <NameCell token={token} ownGroup={ownGroup} />
        </span>
        <span className={classes.cardSide}>
          <StateCell token={token} />
          {menu}
        </span>
      </div>
      <div className={classes.cardLine}>
        <KeyCell token={token} />
        <RecentCell token={token} />
      </div>
      <div className={classes.cardLine}>
        <span className={classes.cardBar}>
          <QuotaMeter token={token} />
        </span>
        <span className={classes.cardAmount}>
          <QuotaAmount token={token} marked />
        </span>
      </div>
    </>
  );
}
