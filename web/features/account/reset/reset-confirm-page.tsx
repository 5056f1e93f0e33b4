/**
 * /user/reset: the link of the mail. It acts on a click and not on load, because mail scanners open every link; then it
 * shows the new password once.
 */
import { Button, TextInput } from '@mantine/core';
import { usePageTitle } from '#web/ui/page/document-title.ts';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { AccountFrame } from '#web/features/account/account-frame.tsx';
import { PasswordField } from '#web/features/account/password/password-field.tsx';
import classes from '#web/features/account/account.module.css';

const route = getRouteApi('/user/reset');

function linkOf(search: string): { email: string; token: string } | undefined {
  const query = new URLSearchParams(search);
  const [email, token] = [query.get('email'), query.get('token')];
  return email && token ? { email, token } : undefined;
}

export function ResetConfirmPage() {
  const { t } = useTranslation(['account', 'ui']);
  usePageTitle(t('resetConfirm.title'));
  const opened = route.useLoaderData();
  const [link] = useState(() => linkOf(opened));
  const reset = useMutation({
    mutationFn: (link: { email: string; token: string }) => api.emails.reset({ body: link }),
    meta: { silent: true },
  });
  const problem = link ? (reset.error ? errorMessage(reset.error) : undefined) : t('resetConfirm.incomplete');
  const password = reset.data;
  return (
    <AccountFrame>
      <h1 className="amount">{t('resetConfirm.title')}</h1>
      {problem ? <NoticeBox tone="danger">{problem}</NoticeBox> : null}
      {password === undefined ? (
        <>
          {link && !reset.isError ? <p className={classes.lead}>{t('resetConfirm.lead')}</p> : null}
          {link ? <TextInput size="md" label={t('reset.email')} value={link.email} readOnly /> : null}
          {link && !reset.isError ? (
            <Button size="md" fullWidth loading={reset.isPending} onClick={() => reset.mutate(link)}>
              {t('resetConfirm.submit')}
            </Button>
          ) : (
            <Button
              size="md"
              fullWidth
              renderRoot={(props) => <Link {...props} to="/reset" search={{ email: link?.email }} />}
            >
              {t('resetConfirm.again')}
            </Button>
          )}
        </>
      ) : (
        <>
          <p className={classes.lead}>{t('resetConfirm.done')}</p>
          <div className={classes.newPassword}>
            <PasswordField
              label={t('resetConfirm.newPassword')}
              value={password}
              autoComplete="off"
              readOnly
              defaultVisible
            />
            <CopyButton
              text={password}
              label={t('copy.named', { ns: 'ui', name: t('resetConfirm.newPassword') })}
              size={36}
            />
          </div>
          <Button size="md" fullWidth renderRoot={(props) => <Link {...props} to="/login" />}>
            {t('resetConfirm.toLogin')}
          </Button>
        </>
      )}
    </AccountFrame>
  );
}
