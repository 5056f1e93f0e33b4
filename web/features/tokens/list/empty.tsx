/** The empty list. An operator without a channel or a price is led there first: a key alone could call nothing. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconPlug, IconReceipt2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isAdmin, isRoot } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { AddButton } from '#web/ui/page/add-button.tsx';
import { tokenQueries } from '#web/features/tokens/queries.ts';

/** `onAdd`: undefined for readers who may not make keys. */
export function EmptyTokens({ onAdd }: { onAdd: (() => void) | undefined }) {
  const { t } = useTranslation('tokens');
  const user = useUser();
  const operator = user !== undefined && isAdmin(user.role);
  const { data: callable } = useQuery({ ...tokenQueries.models(), enabled: operator });
  const { data: unpriced } = useQuery({ ...tokenQueries.unpriced(), enabled: operator });
  const hasNone = operator && callable?.length === 0;
  if (hasNone && unpriced?.length === 0)
    return (
      <EmptyState
        title={t('setup.channelTitle')}
        text={t('setup.channelText')}
        action={
          <Button
            renderRoot={(props) => <Link {...props} to="/channel" search={{ quick: true }} />}
            leftSection={<IconPlug size={15} stroke={1.6} />}
          >
            {t('setup.channelAction')}
          </Button>
        }
      />
    );
  if (hasNone && isRoot(user.role) && unpriced !== undefined)
    return (
      <EmptyState
        title={t('setup.priceTitle')}
        text={t('setup.priceText')}
        action={
          <Button
            renderRoot={(props) => <Link {...props} to="/prices" search={{ unpriced: true }} />}
            leftSection={<IconReceipt2 size={15} stroke={1.6} />}
          >
            {t('setup.priceAction')}
          </Button>
        }
      />
    );
  return (
    <EmptyState
      title={t('empty.title')}
      text={onAdd ? t('empty.text') : undefined}
      action={onAdd ? <AddButton label={t('action.addFirst')} onClick={onAdd} /> : undefined}
    />
  );
}
