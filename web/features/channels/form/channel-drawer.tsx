/** The form drawer: a new channel or an existing one, by the path. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ChannelType } from '#contract/relay/channel-fields.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { Drawer } from '#web/ui/drawer/drawer.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { ChannelFormDrawer } from './channel-form.tsx';
import { channelQueries } from '#web/features/channels/queries.ts';

interface ChannelDrawerProps {
  open: 'add' | number;
  types: readonly ChannelType[] | undefined;
  groups: readonly string[] | undefined;
  tags: readonly string[];
  onClose: () => void;
}

export function ChannelDrawer({ open, types, ...rest }: ChannelDrawerProps) {
  if (open !== 'add') return <EditDrawer key={open} id={open} types={types} {...rest} />;
  if (!types) return <WaitingDrawer isNew onClose={rest.onClose} />;
  return <ChannelFormDrawer key="add" channel={undefined} types={types} {...rest} />;
}

interface EditDrawerProps extends Omit<ChannelDrawerProps, 'open'> {
  id: number;
}

function EditDrawer({ id, types, ...rest }: EditDrawerProps) {
  // Not from the cache: the form sends only the difference to the loaded values.
  const { data, error, isFetchedAfterMount, refetch } = useQuery({
    ...channelQueries.one(id),
    refetchOnMount: 'always',
    refetchOnWindowFocus: false,
  });
  if (data && types && isFetchedAfterMount)
    return <ChannelFormDrawer channel={data} types={types} {...rest} />;
  return (
    <WaitingDrawer
      error={error ?? undefined}
      onRetry={error ? () => void refetch() : undefined}
      onClose={rest.onClose}
    />
  );
}

interface WaitingDrawerProps {
  isNew?: boolean;
  /** Of the channel; the form waits for the types as well. */
  error?: unknown;
  onRetry?: () => void;
  onClose: () => void;
}

function WaitingDrawer({ isNew, error: own, onRetry, onClose }: WaitingDrawerProps) {
  const { t } = useTranslation('channels');
  const types = useQuery(channelQueries.types());
  const error = own ?? types.error;
  const missing = error instanceof ApiError && error.status === 404;
  return (
    <Drawer title={t(isNew ? 'form.createTitle' : 'form.editTitle')} onClose={onClose}>
      {error ? (
        <ErrorState
          message={missing ? t('message.notFound') : errorMessage(error)}
          onRetry={missing ? undefined : (onRetry ?? (() => void types.refetch()))}
        />
      ) : (
        <Loading shape="form" />
      )}
    </Drawer>
  );
}
