/** Where a private address was refused: the super admin allows it with one click, on every node and without a restart. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconShieldCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import { api } from '#web/api.ts';
import { errorMessage, privateAddressesOf } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';

interface AllowAddressProps {
  /** Entries of AllowedPrivateAddresses; none: nothing is shown. */
  addresses: readonly string[];
  onAllowed: () => void;
}

const allowAddresses = (addresses: readonly string[]) =>
  api.options.allowAddresses({ body: { addresses: [...addresses] } });

export function AllowAddress({ addresses, onAllowed }: AllowAddressProps) {
  const { t } = useTranslation('channels');
  const user = useUser();
  const allow = useMutation({
    mutationFn: () => allowAddresses(addresses),
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

/**
 * For a call whose refusal has no place on the page: the super admin is asked whether to allow the address, and the call runs again.
 * Resolves to undefined when the super admin declines, who has read the sentence by then.
 */
export function useAllowing(): <Result>(call: () => Promise<Result>) => Promise<Result | undefined> {
  const { t } = useTranslation('channels');
  const user = useUser();
  return async (call) => {
    try {
      return await call();
    } catch (error) {
      const addresses = privateAddressesOf(error);
      if (addresses.length === 0 || user === undefined || !isRoot(user.role)) throw error;
      const named = { addresses: addresses.join(', ') };
      const isWanted = await confirm({
        title: t('allowAddress.title'),
        body: errorMessage(error),
        confirmLabel: t('allowAddress.action', named),
      });
      if (!isWanted) return undefined;
      await allowAddresses(addresses);
      toast.success(t('allowAddress.done', named));
      return await call();
    }
  };
}
