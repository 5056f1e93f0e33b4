/** A token on the phone: name and state, key and use, bar and amount. */
import type { ReactNode } from 'react';
import type { TokenView } from '#contract/admin/tokens.ts';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { KeyCell, NameCell, QuotaAmount, QuotaMeter, RecentCell, StateCell } from './cells.tsx';
import classes from '#web/features/tokens/tokens.module.css';

interface TokenCardProps {
  token: TokenView;
  ownGroup: string;
  menu: ReactNode;
}

export function TokenCard({ token, ownGroup, menu }: TokenCardProps) {
  return (
    <>
      <CardHead name={<NameCell token={token} ownGroup={ownGroup} />}>
        <StateCell token={token} />
        {menu}
      </CardHead>
      <CardLine>
        <span className={classes.cardKey}>
          <KeyCell token={token} />
        </span>
        <RecentCell token={token} />
      </CardLine>
      <CardLine>
        <span className={classes.cardBar}>
          <QuotaMeter token={token} />
        </span>
        <span className={`inline4 size13 ${classes.cardAmount}`}>
          <QuotaAmount token={token} marked />
        </span>
      </CardLine>
    </>
  );
}
