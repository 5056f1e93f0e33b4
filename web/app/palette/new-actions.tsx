/** Actions of the palette that make something new. */
import { IconPlus, IconReceiptRefund } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { SpotlightActionData } from '@mantine/spotlight';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';

/** Forms that make something new, and the list of orders to refund: what the user may do. */
export function useNewActions(): SpotlightActionData[] {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const user = useUser();
  if (!user) return [];
  const action = (
    id: 'key' | 'channel' | 'plan' | 'user' | 'codes' | 'reseller' | 'refund',
    keywords: string[],
    onClick: () => unknown,
  ): SpotlightActionData => {
    const Icon = id === 'refund' ? IconReceiptRefund : IconPlus;
    return {
      id: `do ${id}`,
      label: t(`palette.do.${id}`),
      keywords,
      leftSection: <Icon size={16} stroke={1.6} />,
      onClick: () => void onClick(),
    };
  };
  const own = [
    action('key', ['new key', 'new token', 'create', 'xinjian lingpai', 'xjlp'], () =>
      navigate({ to: '/token', search: { new: 1 } }),
    ),
  ];
  if (!isAdmin(user.role)) return own;
  return [
    ...own,
    action('channel', ['new channel', 'add', 'create', 'xinjian qudao', 'xjqd'], () =>
      navigate({ to: '/channel/add' }),
    ),
    action('plan', ['new plan', 'create', 'xinjian taocan', 'xjtc'], () =>
      navigate({ to: '/plan', search: { view: 'manage', new: 1 } }),
    ),
    action('user', ['new user', 'create', 'xinjian yonghu', 'xjyh'], () => navigate({ to: '/user/edit' })),
    action('codes', ['new codes', 'create', 'xinjian duihuanma', 'xjdhm'], () =>
      navigate({ to: '/redemption', search: { new: 1 } }),
    ),
    action('reseller', ['new reseller', 'add reseller', 'agent', 'xinzeng dailishang', 'dls'], () =>
      navigate({ to: '/agent', search: { tab: 'agents', new: 1 } }),
    ),
    action('refund', ['refund', 'tuikuan', 'tk'], () =>
      navigate({ to: '/order', search: { status: 'paid' } }),
    ),
  ];
}
