/** Finds the token of a leaked key and its owner, and disables that one key. The key is sent in a body, never in an address. */
import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FoundKey } from '#contract/admin/leaked-keys.ts';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { keepPastedKey, pastedKey } from './pasted-key.ts';
import { USERS_KEY } from './queries.ts';
import classes from './agent-dialog.module.css';

export function FindKeyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('users');
  const [key, setKey] = useState(pastedKey);
  useEffect(() => keepPastedKey(''), []);
  const [found, setFound] = useState<FoundKey[]>();
  const find = useMutation({
    meta: { silent: true },
    mutationFn: () => api.tokens.find({ body: { key } }),
    onSuccess: setFound,
  });
  const change = (text: string) => {
    setKey(text);
    setFound(undefined);
    find.reset();
  };
  const replace = (changed: FoundKey) =>
    setFound((before) => before?.map((each) => (each.token_id === changed.token_id ? changed : each)));
  return (
    <DialogFrame title={t('findKey.title')} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== '') find.mutate();
        }}
      >
        <PasswordInput
          data-autofocus
          label={t('findKey.label')}
          description={t('findKey.hint')}
          value={key}
          autoComplete="off"
          error={find.error ? errorMessage(find.error) : undefined}
          onChange={(event) => change(event.currentTarget.value)}
        />
        <div role="status">
          {found?.length === 0 ? <p className="top8 note">{t('findKey.none')}</p> : null}
        </div>
        {found && found.length > 1 ? <p className="top8 note">{t('findKey.several')}</p> : null}
        {found?.map((each) => (
          <Found key={each.token_id} found={each} onChange={replace} />
        ))}
        <div className="flow8 buttons-below">
          <CancelButton />
          <Button type="submit" disabled={key.trim() === ''} loading={find.isPending}>
            {t('findKey.find')}
          </Button>
        </div>
      </form>
    </DialogFrame>
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
        <Link to="/user" search={{ card: found.user_id }}>
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
