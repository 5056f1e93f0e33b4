/** The drawer that the URL selects: a new token, one to edit, or how to connect with one. */
import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TokenView } from '#contract/admin/tokens.ts';
import { ApiError, errorMessage } from '#web/api/errors.ts';
import { holderQuery } from '#web/api/holder-search.ts';
import { Drawer } from '#web/ui/drawer/drawer.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { ConnectDrawer } from './connect/drawer.tsx';
import type { Groups } from './form/group.tsx';
import { TokenForm } from './form/token-form.tsx';
import { tokenQueries, TOKENS_KEY, type TokenPage } from './queries.ts';
import type { TokenSearch } from './search.ts';
import { NO_DRAWER, type ChangeSearch } from './use-token-search.ts';

interface TokenDrawerProps {
  search: TokenSearch;
  change: ChangeSearch;
  ownGroup: string;
  groups: Groups | undefined;
}

export function TokenDrawer({ search, change, ownGroup, groups }: TokenDrawerProps) {
  const close = useCallback(() => change(NO_DRAWER), [change]);
  const connect = (id: number) => change({ ...NO_DRAWER, connect: id });
  const edit = (id: number) => change({ ...NO_DRAWER, edit: id });
  if (search.new) {
    return (
      <TokenForm
        key="new"
        token={undefined}
        groups={groups}
        ownGroup={ownGroup}
        wanted={holderQuery(search)}
        onClose={close}
        onConnect={connect}
        // A single new token opens the connect drawer; a batch returns to the list.
        onCreated={([first, ...others]) => (first && others.length === 0 ? connect(first.id) : close())}
      />
    );
  }
  if (search.edit) {
    return (
      <EditDrawer
        key={search.edit}
        id={search.edit}
        search={search}
        ownGroup={ownGroup}
        groups={groups}
        onClose={close}
        onConnect={connect}
      />
    );
  }
  if (search.connect) {
    return <ConnectDrawer key={search.connect} id={search.connect} onClose={close} onEdit={edit} />;
  }
  return null;
}

interface EditDrawerProps {
  id: number;
  search: TokenSearch;
  ownGroup: string;
  groups: Groups | undefined;
  onClose: () => void;
  onConnect: (id: number) => void;
}

function EditDrawer({ id, search, ownGroup, groups, onClose, onConnect }: EditDrawerProps) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    ...tokenQueries.one(id),
    // The row of the list is a good initial value: the form saves only differences.
    initialData: () => listedToken(client, id),
  });
  if (data) {
    return (
      <TokenForm
        token={data}
        groups={groups}
        ownGroup={ownGroup}
        focus={search.field}
        onClose={onClose}
        onConnect={onConnect}
        onCreated={onClose}
      />
    );
  }
  return <WaitingDrawer error={error} onRetry={() => void refetch()} onClose={onClose} />;
}

function listedToken(client: QueryClient, id: number): TokenView | undefined {
  return client
    .getQueriesData<TokenPage>({ queryKey: [...TOKENS_KEY, 'list'] })
    .flatMap(([, page]) => page?.data ?? [])
    .find((token) => token.id === id);
}

interface WaitingDrawerProps {
  error: unknown;
  onRetry: () => void;
  onClose: () => void;
}

/** Shorter waits show no loader. */
const LOADER_DELAY_MILLISECONDS = 400;

function WaitingDrawer({ error, onRetry, onClose }: WaitingDrawerProps) {
  const { t } = useTranslation('tokens');
  const [isEarly, setIsEarly] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setIsEarly(false), LOADER_DELAY_MILLISECONDS);
    return () => clearTimeout(timer);
  }, []);
  if (!error && isEarly) return null;
  const missing = error instanceof ApiError && error.status === 404;
  return (
    <Drawer title={t('form.editTitle')} onClose={onClose}>
      {error ? (
        <ErrorState
          message={missing ? t('form.missing') : errorMessage(error)}
          onRetry={missing ? undefined : onRetry}
        />
      ) : (
        <Loading shape="form" />
      )}
    </Drawer>
  );
}
