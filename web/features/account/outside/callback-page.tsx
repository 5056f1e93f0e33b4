/**
 * /oauth/{provider}: the browser returned from a login provider. The page sends the code once and navigates: after binding to
 * the settings, after a login to the landing page, after a failure, with its message, to the settings. The address is used
 * once: it is replaced in the history, and shown again it leads on.
 */
import { Button } from '@mantine/core';
import { usePageTitle } from '#web/ui/page/document-title.ts';
import { useMutation } from '@tanstack/react-query';
import { useLoaderData, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { needsSecondStep } from '#contract/admin/session.ts';
import { errorMessage } from '#web/api/errors.ts';
import { redirectToProvider, takeNext } from '#web/api/outside-logins.ts';
import { useUser } from '#web/api/session.ts';
import { useStatus } from '#web/api/status.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { ProviderIcon } from '#web/ui/login/provider-icon.tsx';
import { useProviderName } from '#web/ui/login/providers.ts';
import { AccountFrame } from '#web/features/account/account-frame.tsx';
import { finishCallback } from './finish-callback.ts';
import { storedInvite } from '#web/features/account/register/invite.ts';
import { HOME_LANDING, nextPage } from '#web/features/account/login/next-page.ts';
import { readCallback, type Callback } from './read-callback.ts';
import { SecondStep } from '#web/features/account/login/second-step.tsx';
import { useSignedIn } from '#web/features/account/login/use-signed-in.ts';
import classes from '#web/features/account/account.module.css';

// With this page in one file: a file of its own would split what the sign-in page loads.
export { SignOnPage } from './sign-on-page.tsx';

const SETTINGS = '/setting';
/** Long enough to read the message; the toast stays longer. */
const REDIRECT_MILLISECONDS = 4000;

export function CallbackPage() {
  const { t } = useTranslation('account');
  const status = useStatus();
  const router = useRouter();
  const opened: unknown = useLoaderData({ strict: false });
  const [search] = useState(typeof opened === 'string' ? opened : '');
  const [callback] = useState(() => readCallback(location.pathname, search));
  // Back and a reload show the address again, without the parameters that were sent.
  const isUsed = search === '';
  const [next] = useState(takeNext);
  const [halfway, setHalfway] = useState(false);
  const started = useRef(false);
  const { provider } = callback;
  const name = useProviderName()(provider, status);
  usePageTitle(t('callback.title', { provider: name }));
  const signedIn = useSignedIn(next, { isFromElsewhere: true });
  const user = useUser();
  const landing = provider === 'telegram' ? HOME_LANDING : undefined;

  const finish = useMutation({
    mutationFn: (given: Callback) =>
      isUsed
        ? Promise.reject(new Error(t('callback.used')))
        : finishCallback(given, t('callback.cancelled', { provider: name })),
    meta: { silent: true },
    onSuccess: (answer) => {
      if (answer === 'bound') {
        toast.success(t('callback.bound', { provider: name }));
        router.history.replace(SETTINGS);
      } else if (needsSecondStep(answer)) setHalfway(true);
      else signedIn(answer, provider, landing);
    },
  });
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    // A code is valid once; a reload must not send it again.
    window.history.replaceState(window.history.state, '', location.pathname);
    if (isUsed && user) router.history.replace(nextPage(next, landing));
    else finish.mutate(callback);
  });

  const message = finish.error ? errorMessage(finish.error) : undefined;
  useEffect(() => {
    if (!message) return undefined;
    const timer = setTimeout(() => {
      toast.error(message);
      router.history.replace(SETTINGS);
    }, REDIRECT_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [message, router]);

  if (halfway) {
    return (
      <AccountFrame>
        <SecondStep
          onDone={(user) => signedIn(user, provider, landing)}
          onBack={() => router.history.replace('/login')}
        />
      </AccountFrame>
    );
  }
  return (
    <AccountFrame>
      <h1 className="amount">
        <span className={classes.callbackTitle}>
          <ProviderIcon provider={provider} size={22} />
          {t('callback.title', { provider: name })}
        </span>
      </h1>
      {message ? (
        <>
          <NoticeBox tone="danger">{message}</NoticeBox>
          <p className="row10 soft" role="status">
            {t('callback.failed')}
          </p>
          <div className="buttons top6">
            <Button variant="default" onClick={() => router.history.replace(SETTINGS)}>
              {t('callback.back')}
            </Button>
            {provider === 'telegram' ? null : (
              <Button
                onClick={() =>
                  void redirectToProvider(provider, { aff: storedInvite(), next }).catch(showError)
                }
              >
                {t('callback.retry')}
              </Button>
            )}
          </div>
        </>
      ) : (
        <p className="row10 soft" role="status">
          <PostLoader />
          {finish.isSuccess ? t('callback.leaving') : t('callback.exchanging', { provider: name })}
        </p>
      )}
    </AccountFrame>
  );
}

function showError(error: unknown): void {
  toast.error(errorMessage(error));
}
