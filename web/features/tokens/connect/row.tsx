/** One row of commands for a chosen key: three clients, ready to copy. The key is masked on screen and complete in what is copied. */
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconCircleCheckFilled } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { languageOf } from '#contract/language.ts';
import { TOKEN_KEY_PREFIX, type TokenView } from '#contract/admin/tokens.ts';
import { useStatus } from '#web/api/status.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { CodeBlock } from '#web/ui/code/code-block.tsx';
import { maskSecret } from '#web/ui/copy/mask.ts';
import { serverAddress } from '#web/ui/format/base-url.ts';
import { useNow } from '#web/ui/format/moment.tsx';
import { relativeTime } from '#web/ui/format/time.ts';
import { fullKey } from '#web/features/tokens/copy-formats.ts';
import { tokenQueries } from '#web/features/tokens/queries.ts';
import { CLIENT_NAMES, CLIENTS, guideOf, modelFor, type ClientId } from './clients.ts';
import { PLACEHOLDER_MODEL } from '#contract/money/sample-model.ts';
import { ownSystem, useModels } from './drawer.tsx';
import { WAITING_MILLISECONDS } from './first-call.tsx';
import classes from './row.module.css';

/** Three that cover the three formats of the gateway. */
const SHOWN = ['claude-code', 'codex', 'curl'] as const satisfies readonly ClientId[];

interface ConnectRowProps {
  keys: readonly { id: number; name: string }[];
}

export function ConnectRow({ keys }: ConnectRowProps) {
  const { t } = useTranslation('tokens');
  const [chosen, setChosen] = useState<number>();
  const id = keys.find((key) => key.id === chosen)?.id ?? keys[0]?.id ?? 0;
  const { data: token } = useQuery({
    ...tokenQueries.one(id),
    enabled: id > 0,
    refetchInterval: ({ state }) => (state.data?.accessed_time === 0 ? WAITING_MILLISECONDS : false),
  });
  return (
    <section className={classes.row} aria-label={t('connect.row.title')}>
      <header className="wrap8">
        <h2>{t('connect.row.title')}</h2>
        <span className="note">{t('connect.row.hint')}</span>
        {token ? <LastCall token={token} /> : null}
        <span className="row8 push-right">
          <Select
            className={classes.key}
            aria-label={t('connect.row.key')}
            value={String(id)}
            allowDeselect={false}
            data={keys.map((key) => ({ value: String(key.id), label: key.name }))}
            onChange={(value) => setChosen(Number(value))}
          />
          <Link to="/token" search={{ connect: id }} className="small nowrap">
            {t('connect.row.others', { count: CLIENTS.length - SHOWN.length })}
          </Link>
        </span>
      </header>
      <div className={classes.tiles}>
        {SHOWN.map((client) =>
          token ? (
            <Tile key={`${client} ${token.id}`} client={client} token={token} />
          ) : (
            <div key={client} className={classes.bone} />
          ),
        )}
      </div>
    </section>
  );
}

function LastCall({ token }: { token: TokenView }) {
  const { t, i18n } = useTranslation('tokens');
  const now = useNow();
  const at = token.accessed_time;
  return (
    <span className={`inline6 size12 ${at > 0 ? 'success' : 'muted'}`} role="status">
      {at > 0 ? <IconCircleCheckFilled size={14} aria-hidden /> : <PostLoader />}
      {at > 0
        ? t('connect.row.used', { when: relativeTime(at, Math.max(now, at), languageOf(i18n.language)) })
        : t('connect.waiting')}
    </span>
  );
}

function Tile({ client, token }: { client: ClientId; token: TokenView }) {
  const { t } = useTranslation('tokens');
  const status = useStatus();
  const model = modelFor(client, useModels(token, client)) ?? PLACEHOLDER_MODEL;
  const connection = {
    key: fullKey(token),
    host: serverAddress(status?.server_address, window.location.origin),
    model,
    siteName: status?.system_name || 'Tollgate',
    system: ownSystem(),
  };
  const whole = guideOf(client, connection).steps;
  const shown = guideOf(client, { ...connection, key: TOKEN_KEY_PREFIX + maskSecret(token.key) }).steps;
  return (
    <div className="stack8">
      {shown.map((step, at) => {
        const copied = whole[at];
        if (step.kind === 'fields' || copied === undefined || copied.kind === 'fields') return null;
        return (
          <CodeBlock
            key={at}
            head={
              <span className="row8 shrink">
                <b className="nowrap">{CLIENT_NAMES[client]}</b>
                <span className="muted cut">
                  {step.kind === 'terminal' ? t('connect.terminal') : step.place}
                </span>
              </span>
            }
            copy={{ text: copied.text, label: t('connect.row.copy', { name: CLIENT_NAMES[client] }) }}
          >
            {step.text}
          </CodeBlock>
        );
      })}
    </div>
  );
}
