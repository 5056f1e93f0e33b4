/** How to call with a token: base URL, key and code, then a line that turns green when the first call arrives. */
import { Button, SegmentedControl, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCircleCheckFilled, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { languageOf } from '#contract/language.ts';
import { modelLimitList, TOKEN_KEY_PREFIX, TOKEN_STATUS, type TokenView } from '#contract/tokens.ts';
import { errorMessage } from '#web/api/errors.ts';
import { useStatus } from '#web/api/status.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { maskSecret } from '#web/ui/copy/mask.ts';
import { Secret } from '#web/ui/copy/secret.tsx';
import { Drawer } from '#web/ui/drawer/drawer.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { baseUrl } from '#web/ui/format/base-url.ts';
import { useNow } from '#web/ui/format/moment.tsx';
import { relativeTime } from '#web/ui/format/time.ts';
import { Field } from '#web/ui/input/field.tsx';
import { fullKey } from './copy-formats.ts';
import { tokenQueries } from './queries.ts';
import { SNIPPET_NAMES, SNIPPETS, snippetOf, type SnippetKind } from './connect-snippets.ts';
import classes from './connect.module.css';

const WAITING_MILLISECONDS = 3000;
const PLACEHOLDER_MODEL = 'gpt-4o-mini';

interface ConnectDrawerProps {
  id: number;
  onClose: () => void;
  onEdit: (id: number) => void;
}

export function ConnectDrawer({ id, onClose, onEdit }: ConnectDrawerProps) {
  const { t } = useTranslation('tokens');
  const { t: common } = useTranslation('ui');
  const token = useQuery({
    ...tokenQueries.one(id),
    // Asked again until the first call has come.
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
      {token.data ? <Connection token={token.data} /> : null}
      {token.error ? <ErrorState message={errorMessage(token.error)} /> : null}
      {token.isPending ? <PostLoader label={common('grid.loading')} /> : null}
    </Drawer>
  );
}

function useModels(token: TokenView): string[] {
  const { data: available = [] } = useQuery(tokenQueries.models());
  if (!token.model_limits_enabled) return available;
  const allowed = modelLimitList(token.model_limits);
  const both = available.filter((model) => allowed.includes(model));
  return both.length > 0 ? both : allowed;
}

function Connection({ token }: { token: TokenView }) {
  const { t } = useTranslation('tokens');
  const status = useStatus();
  const models = useModels(token);
  const [chosen, setChosen] = useState<string>();
  const [kind, setKind] = useState<SnippetKind>('curl');
  const model = chosen ?? models[0] ?? PLACEHOLDER_MODEL;
  const address = baseUrl(status?.server_address, window.location.origin);
  const snippet = (key: string) => snippetOf(kind, { key, baseUrl: address, model });
  return (
    <div className={classes.stack}>
      {token.status === TOKEN_STATUS.enabled ? (
        <p className={classes.intro}>{t('connect.intro')}</p>
      ) : (
        <NoticeBox tone="warning">{t('connect.notUsable')}</NoticeBox>
      )}
      <Field label={t('connect.baseUrl')}>
        <div className={classes.value}>
          <code>{address}</code>
          <CopyButton text={address} label={`${t('action.copy')} ${t('connect.baseUrl')}`} />
        </div>
      </Field>
      <Field label={t('connect.key')}>
        <div className={classes.value}>
          <Secret value={token.key} prefix={TOKEN_KEY_PREFIX} label={t('form.key')} />
        </div>
      </Field>
      <Field
        label={t('connect.model')}
        htmlFor="connect-model"
        hint={models.length === 0 ? t('connect.noModel') : undefined}
      >
        <Select
          id="connect-model"
          searchable
          data={models.length === 0 ? [PLACEHOLDER_MODEL] : models}
          value={model}
          allowDeselect={false}
          limit={200}
          onChange={(value) => setChosen(value ?? undefined)}
        />
      </Field>
      <Field label={t('connect.snippets')}>
        <div className={classes.code}>
          <div className={classes.codeHead}>
            <SegmentedControl
              size="xs"
              aria-label={t('connect.snippets')}
              value={kind}
              onChange={(value) => setKind(SNIPPETS.find((known) => known === value) ?? 'curl')}
              data={SNIPPETS.map((value) => ({ value, label: SNIPPET_NAMES[value] }))}
            />
            <CopyButton text={() => snippet(fullKey(token))} label={t('connect.copySnippet')} />
          </div>
          {/* The key is masked on screen and whole in the copy. */}
          <pre tabIndex={0}>{snippet(TOKEN_KEY_PREFIX + maskSecret(token.key))}</pre>
        </div>
      </Field>
      <FirstCall token={token} />
    </div>
  );
}

function FirstCall({ token }: { token: TokenView }) {
  const { t, i18n } = useTranslation('tokens');
  const now = useNow();
  const when = relativeTime(
    token.accessed_time,
    Math.max(now, token.accessed_time),
    languageOf(i18n.language),
  );
  return (
    <p className={classes.first} data-received={token.accessed_time > 0 || undefined} role="status">
      {token.accessed_time > 0 ? (
        <>
          <IconCircleCheckFilled size={16} aria-hidden />
          {t('connect.received', { when })}
        </>
      ) : (
        <>
          <PostLoader />
          {t('connect.waiting')}
        </>
      )}
    </p>
  );
}
