/** A token on the phone: name and state, key and use, bar and amount. */
import { Button } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { TokenView } from '#contract/admin/tokens.ts';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { isWhole } from '#web/features/tokens/token-state.ts';
import { HolderCell, KeyCell, NameCell, QuotaAmount, QuotaMeter, RecentCell, StateCell } from './cells.tsx';
import classes from '#web/features/tokens/tokens.module.css';

interface TokenCardProps {
  token: TokenView;
  ownGroup: string;
  menu: ReactNode;
  onConnect: () => void;
}

export function TokenCard({ token, ownGroup, menu, onConnect }: TokenCardProps) {
  const { t } = useTranslation('tokens');
  return (
    <>
      <CardHead name={<NameCell token={token} ownGroup={ownGroup} />}>
        <StateCell token={token} />
        {menu}
      </CardHead>
      {token.project_id === undefined ? null : (
        <CardLine>
          <HolderCell token={token} />
        </CardLine>
      )}
      <CardLine>
        <span className={classes.cardKey}>
          <KeyCell token={token} />
        </span>
        <RecentCell token={token} />
        {isWhole(token) ? (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPlugConnected size={14} stroke={1.6} />}
            onClick={onConnect}
          >
            {t('action.connect')}
          </Button>
        ) : null}
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
