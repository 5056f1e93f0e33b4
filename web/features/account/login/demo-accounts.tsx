/** The sample accounts of the demo: one click signs in. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { isAdmin, isRoot } from '#contract/access.ts';
import type { LoginAnswer } from '#contract/admin/session.ts';
import type { DemoAccount } from '#contract/admin/site.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import classes from '#web/features/account/account.module.css';

interface DemoAccountsProps {
  accounts: readonly DemoAccount[];
  onAnswer: (answer: LoginAnswer) => void;
}

const roleWord = (role: number) => (isRoot(role) ? 'root' : isAdmin(role) ? 'admin' : 'user');

export default function DemoAccounts({ accounts, onAnswer }: DemoAccountsProps) {
  const { t } = useTranslation('account');
  const login = useMutation({
    mutationFn: ({ username, password }: DemoAccount) =>
      api.session.login({ body: { username, password }, query: {} }),
    onSuccess: onAnswer,
    onError: (error) => toast.error(errorMessage(error)),
  });
  return (
    <section className={classes.demo} aria-label={t('demo.title')}>
      <p>{t('demo.title')}</p>
      <ul>
        {accounts.map((account) => (
          <li key={account.username}>
            <span>
              <b>{account.username}</b> · {t(`demo.${roleWord(account.role)}`)}
              <code>{account.password}</code>
            </span>
            <Button
              size="xs"
              variant="default"
              loading={login.isPending && login.variables.username === account.username}
              aria-label={t('demo.signInAs', { name: account.username })}
              onClick={() => login.mutate(account)}
            >
              {t('login.submit')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
