/** /oauth/organization/{id}: the browser returned from the provider of an organization. The address is used once. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useLoaderData, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { needsSecondStep } from '#contract/admin/session.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { takeNext } from '#web/api/outside-logins.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { usePageTitle } from '#web/ui/page/document-title.ts';
import { AccountFrame } from '#web/features/account/account-frame.tsx';
import { SecondStep } from '#web/features/account/login/second-step.tsx';
import { useSignedIn } from '#web/features/account/login/use-signed-in.ts';

export function SignOnPage() {
  const { t } = useTranslation('account');
  usePageTitle(t('signOn.title'));
  const router = useRouter();
  const opened: unknown = useLoaderData({ strict: false });
  const [search] = useState(typeof opened === 'string' ? opened : '');
  const [next] = useState(takeNext);
  const [halfway, setHalfway] = useState(false);
  const started = useRef(false);
  const signedIn = useSignedIn(next, { isFromElsewhere: true });
  const finish = useMutation({
    mutationFn: () => {
      const query = new URLSearchParams(search);
      if (!query.has('code')) return Promise.reject(new Error(t('signOn.cancelled')));
      return api.signOn.finish({
        query: {
          organization: Number(location.pathname.split('/').at(-1)),
          code: query.get('code') ?? '',
          state: query.get('state') ?? '',
          iss: query.get('iss') ?? undefined,
        },
      });
    },
    meta: { silent: true },
    onSuccess: (answer) => {
      if (needsSecondStep(answer)) setHalfway(true);
      else signedIn(answer, 'sign_on');
    },
  });
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    // A code is valid once; a reload must not send it again.
    window.history.replaceState(window.history.state, '', location.pathname);
    finish.mutate();
  });
  if (halfway)
    return (
      <AccountFrame>
        <SecondStep
          onDone={(user) => signedIn(user, 'sign_on')}
          onBack={() => router.history.replace('/login')}
        />
      </AccountFrame>
    );
  return (
    <AccountFrame>
      <h1 className="amount">{t('signOn.title')}</h1>
      {finish.error ? (
        <>
          <NoticeBox tone="danger">{errorMessage(finish.error)}</NoticeBox>
          <div className="buttons top6">
            <Button onClick={() => router.history.replace('/login')}>{t('signOn.back')}</Button>
          </div>
        </>
      ) : (
        <p className="row10 soft" role="status">
          <PostLoader />
          {t('signOn.finishing')}
        </p>
      )}
    </AccountFrame>
  );
}
