/** Where a private address was refused: the super admin allows it with one click, on every node and without a restart. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconShieldCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import { api } from '#web/api.ts';
import { useUser } from '#web/api/session.ts';
import { toast } from '#web/ui/feedback/toast.tsx';

interface AllowAddressProps {
  /** Entries of AllowedPrivateAddresses; none: nothing is shown. */
  addresses: readonly string[];
  onAllowed: () => void;
}

export function AllowAddress({ addresses, onAllowed }: AllowAddressProps) {
  const { t } = useTranslation('channels');
  const user = useUser();
  const allow = useMutation({
    mutationFn: () => api.options.allowAddresses({ body: { addresses: [...addresses] } }),
    onSuccess: () => {
      toast.success(t('allowAddress.done', { addresses: addresses.join(', ') }));
      onAllowed();
    },
  });
  if (addresses.length === 0 || user === undefined || !isRoot(user.role)) return null;
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconShieldCheck size={15} stroke={1.6} />}
      loading={allow.isPending}
      onClick={() => allow.mutate()}
    >
      {t('allowAddress.action', { addresses: addresses.join(', ') })}
    </Button>
  );
}
