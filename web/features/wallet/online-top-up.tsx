/** Online top-up. Without a payment provider there is only the message that it is off. */
import { useTranslation } from 'react-i18next';
import { useStatus } from '#web/api/status.ts';
import { Block } from './block.tsx';
import { MissingSetting } from './missing-setting.tsx';

export function OnlineTopUp() {
  const { t } = useTranslation('wallet');
  const status = useStatus();
  if (!status || status.enable_online_topup) return null;
  return (
    <Block title={t('online.title')}>
      <MissingSetting message={t('online.off')} setUp={t('online.setUp')} tab="system" />
    </Block>
  );
}
