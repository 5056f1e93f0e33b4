/** How to call with a token: choose a client, see its exact configuration, watch for the first call. */
import { Button, SegmentedControl, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PricingEntry } from '#contract/money/pricing.ts';
import { modelLimitList, TOKEN_KEY_PREFIX, TOKEN_STATUS, type TokenView } from '#contract/admin/tokens.ts';
import { errorMessage } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { maskSecret } from '#web/ui/copy/mask.ts';
import { Secret, useReveal } from '#web/ui/copy/secret.tsx';
import { Drawer } from '#web/ui/drawer/drawer.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { serverAddress } from '#web/ui/format/base-url.ts';
import { Field } from '#web/ui/input/field.tsx';
import { firstClient, guideOf, modelFor, modelsFor, type ClientId, type System } from './clients.ts';
import { ClientTiles } from './client-tiles.tsx';
import { FirstCall, WAITING_MILLISECONDS } from './first-call.tsx';
import { ClientGuide } from './guide.tsx';
import { PhoneCode } from './phone.tsx';
import { PLACEHOLDER_MODEL } from '#contract/money/sample-model.ts';
import { fullKey } from '#web/features/tokens/copy-formats.ts';
import { tokenQueries } from '#web/features/tokens/queries.ts';
import classes from './connect.module.css';

const CLIENT_KEY = 'connect-client';

interface ConnectDrawerProps {
  id: number;
  onClose: () => void;
  onEdit: (id: number) => void;
}

export function ConnectDrawer({ id, onClose, onEdit }: ConnectDrawerProps) {
  const { t } = useTranslation('tokens');
  const token = useQuery({
    ...tokenQueries.one(id),
    // Polls until the first call.
    refetchInterval: ({ state }) => (state.data?.accessed_time === 0 ? WAITING_MILLISECONDS : false),
  });
  return (
    <Drawer
      title={token.data ? t('connect.title', { name: token.data.name }) : t('action.connect')}
      subtitle={token.data ? <Tag>#{token.data.id}</Tag> : undefined}
      onClose={onClose}
      footer={
        <Button
          variant="default"
          leftSection={<IconPencil size={15} stroke={1.6} />}
          onClick={() => onEdit(id)}
        >
          {t('connect.edit')}
        </Button>
      }
    >
      {token.data ? <Wizard token={token.data} /> : null}
      {token.error ? (
        <ErrorState message={errorMessage(token.error)} onRetry={() => void token.refetch()} />
      ) : null}
      {token.isPending ? <Loading shape="form" /> : null}
    </Drawer>
  );
}

/** What the token can call with the client; a model that would be refused is not offered. */
export function useModels(token: TokenView, client: ClientId): PricingEntry[] {
  const user = useUser();
  const { data: list } = useQuery(tokenQueries.priced());
  const models = modelsFor(client, list?.data ?? [], token.group || (user?.group ?? ''));
  if (!token.model_limits_enabled) return models;
  const allowed = modelLimitList(token.model_limits);
  return models.filter(({ model_name }) => allowed.includes(model_name));
}

export function ownSystem(): System {
  return /windows/i.test(navigator.userAgent) ? 'windows' : 'posix';
}

function Wizard({ token }: { token: TokenView }) {
  const { t } = useTranslation('tokens');
  const status = useStatus();
  const [client, setClient] = useState(() => firstClient(token.name, localStorage.getItem(CLIENT_KEY)));
  const [chosen, setChosen] = useState<string>();
  const [system, setSystem] = useState(ownSystem);
  const reveal = useReveal();
  const models = useModels(token, client);
  const names = models.map(({ model_name }) => model_name);
  // A model that was chosen for another client may not fit this one.
  const kept = chosen !== undefined && names.includes(chosen) ? chosen : undefined;
  const model = kept ?? modelFor(client, models) ?? PLACEHOLDER_MODEL;
  const host = serverAddress(status?.server_address, window.location.origin);
  const connection = {
    key: fullKey(token),
    host,
    model,
    siteName: status?.system_name || 'Tollgate',
    system,
  };
  const choose = (value: ClientId) => {
    localStorage.setItem(CLIENT_KEY, value);
    setClient(value);
  };
  // Only terminal commands differ by operating system.
  const differs = ['posix', 'windows'] as const;
  const texts = differs.map((each) => JSON.stringify(guideOf(client, { ...connection, system: each })));
  return (
    <div className="stack14">
      {token.status === TOKEN_STATUS.enabled ? null : (
        <NoticeBox tone="warning">{t('connect.notUsable')}</NoticeBox>
      )}
      <FirstCall token={token} />
      <ClientTiles chosen={client} onChoose={choose} />
      <Field
        label={t('connect.model')}
        htmlFor="connect-model"
        hint={models.length === 0 ? t('connect.noModel') : undefined}
      >
        <Select
          id="connect-model"
          searchable
          data={names.length === 0 ? [PLACEHOLDER_MODEL] : names}
          value={model}
          allowDeselect={false}
          limit={200}
          onChange={(value) => setChosen(value ?? undefined)}
        />
      </Field>
      {texts[0] === texts[1] ? null : (
        <SegmentedControl
          size="xs"
          aria-label={t('connect.system')}
          value={system}
          onChange={(value) => setSystem(value === 'windows' ? 'windows' : 'posix')}
          data={[
            { value: 'posix', label: 'macOS / Linux' },
            { value: 'windows', label: 'Windows' },
          ]}
        />
      )}
      {/* The check mark of a copied sample must not stay on the sample of another client. */}
      <ClientGuide
        key={client}
        client={client}
        connection={connection}
        shownKey={reveal[0] ? connection.key : TOKEN_KEY_PREFIX + maskSecret(token.key)}
      />
      <Field label={t('connect.other')}>
        <div className={classes.value}>
          <code>{`${host}/v1`}</code>
          <CopyButton text={`${host}/v1`} label={t('connect.copyField', { name: t('connect.baseUrl') })} />
        </div>
        <div className={classes.value}>
          <Secret value={token.key} prefix={TOKEN_KEY_PREFIX} label={t('form.key')} reveal={reveal} />
        </div>
      </Field>
      <Field label={t('connect.phone.title')}>
        {/* Another client has another QR code, so it is hidden again. */}
        <PhoneCode key={client} client={client} connection={connection} />
      </Field>
    </div>
  );
}
