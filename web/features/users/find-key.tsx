/** Finds the token of a leaked key and its owner, and disables that one key. The key is sent in a body, never in an address. */
import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FoundKey } from '#contract/admin/leaked-keys.ts';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { api } from '#web/api.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { keepPastedKey, pastedKey } from './pasted-key.ts';
import { USERS_KEY } from './queries.ts';
import classes from './find-key.module.css';

export function FindKeyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('users');
  useEffect(() => keepPastedKey(''), []);
  const [found, setFound] = useState<FoundKey[]>();
  const form = useForm({
    begin: () => ({ key: pastedKey() }),
    unguarded: ['key'],
    send: ({ key }) => api.tokens.find({ body: { key } }),
    onSent: setFound,
  });
  const replace = (changed: FoundKey) =>
    setFound((before) => before?.map((each) => (each.token_id === changed.token_id ? changed : each)));
  return (
    <FormDialog
      title={t('findKey.title')}
      submitLabel={t('findKey.find')}
      disabled={form.values.key.trim() === ''}
      className=""
      buttons="flow8 buttons-below"
      form={form}
      onClose={onClose}
    >
      <PasswordInput
        {...form.field('key')}
        data-autofocus
        label={t('findKey.label')}
        description={t('findKey.hint')}
        autoComplete="off"
        onChange={(event) => {
          form.set('key', event.currentTarget.value);
          setFound(undefined);
        }}
      />
      <div role="status">{found?.length === 0 ? <p className="top8 note">{t('findKey.none')}</p> : null}</div>
      {found && found.length > 1 ? <p className="top8 note">{t('findKey.several')}</p> : null}
      {found?.map((each) => (
        <Found key={each.token_id} found={each} onChange={replace} />
      ))}
    </FormDialog>
  );
}

interface FoundProps {
  found: FoundKey;
  onChange: (found: FoundKey) => void;
}

function Found({ found, onChange }: FoundProps) {
  const { t } = useTranslation('users');
  const client = useQueryClient();
  const disable = useMutation({
    mutationFn: () => api.tokens.disable({ params: { id: found.token_id }, body: {} }),
    onSuccess: (changed) => {
      onChange(changed);
      toast.success(t('findKey.disabledNow'));
      void client.invalidateQueries({ queryKey: USERS_KEY });
    },
  });
  const isOff = found.deleted || found.status === TOKEN_STATUS.disabled;
  return (
    <div className={`row12 between ${classes.found}`}>
      <span>
        <Link to="/user/$id" params={{ id: String(found.user_id) }}>
          {found.username}
        </Link>
        <span>{found.name}</span>
        <code>{`sk-${found.key}`}</code>
      </span>
      {isOff ? (
        <span>{t(found.deleted ? 'findKey.deleted' : 'findKey.disabled')}</span>
      ) : (
        <Button
          size="xs"
          color="red"
          disabled={!found.manageable}
          title={found.manageable ? undefined : t('findKey.notAllowed')}
          loading={disable.isPending}
          onClick={() => disable.mutate()}
        >
          {t('findKey.disable')}
        </Button>
      )}
    </div>
  );
}
