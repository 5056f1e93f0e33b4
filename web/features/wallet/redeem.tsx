/** Redeems a code, and where to get one. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconExternalLink } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { redemptionKeyOf } from '#contract/money/redemptions.ts';
import { api } from '#web/api.ts';
import { ApiError } from '#web/api/errors.ts';
import { selfQuery } from '#web/api/queries.ts';
import { useStatus } from '#web/api/status.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { Block } from './block.tsx';
import { CountUp } from './count-up.tsx';
import { WALLET_KEY } from './queries.ts';
import { MissingSetting } from './missing-setting.tsx';
import classes from './wallet.module.css';

export function Redeem() {
  const { t } = useTranslation('wallet');
  const client = useQueryClient();
  const display = useDisplay();
  const id = useId();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();

  const redeem = useMutation({
    meta: { silent: true },
    mutationFn: () => api.redemptions.redeem({ body: { key: text } }),
    onSuccess: () => {
      toast.success(t('redeem.done'));
      setText('');
    },
    onError: (error) => {
      const isReached = error instanceof ApiError && error.status > 0;
      setProblem(isReached ? error.message : t('redeem.failed'));
      document.getElementById(id)?.focus();
    },
    // Also after a failure: the answer may have been lost after the code was credited.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: WALLET_KEY }),
        client.invalidateQueries({ queryKey: selfQuery.queryKey }),
      ]),
  });
  const submit = () => {
    if (redeem.isPending) return;
    const isBlank = redemptionKeyOf(text) === '';
    setProblem(isBlank ? t('redeem.required') : undefined);
    if (!isBlank) redeem.mutate();
  };
  return (
    <Block title={t('redeem.title')} fact={<GetCode />}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div className={`flex8 start ${classes.redeem}`}>
          <TextInput
            id={id}
            aria-label={t('redeem.label')}
            value={text}
            placeholder={t('redeem.placeholder')}
            autoComplete="off"
            spellCheck={false}
            maxLength={1000}
            error={problem}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setProblem(undefined);
            }}
          />
          <Button type="submit" variant="default" loading={redeem.isPending}>
            {t('redeem.submit')}
          </Button>
        </div>
      </form>
      <div role="status">
        {redeem.isSuccess ? (
          <p className={classes.added}>
            <CountUp key={redeem.submittedAt} quota={redeem.data} />
            <span>{t('redeem.added', { amount: renderQuota(redeem.data, display) })}</span>
          </p>
        ) : null}
      </div>
      <NoLink />
    </Block>
  );
}

/** An address of this or another site; the operator's text can be anything. */
function topUpLink(text: string | undefined): string | undefined {
  const url = text ? URL.parse(text, location.origin) : null;
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

function GetCode() {
  const { t } = useTranslation('wallet');
  const link = topUpLink(useStatus()?.top_up_link);
  if (!link) return null;
  return (
    <Button
      component="a"
      href={link}
      target="_blank"
      rel="noopener noreferrer"
      variant="default"
      size="compact-sm"
      rightSection={<IconExternalLink size={13} stroke={1.6} />}
    >
      {t('redeem.get')}
    </Button>
  );
}

function NoLink() {
  const { t } = useTranslation('wallet');
  const status = useStatus();
  if (!status || topUpLink(status.top_up_link)) return null;
  return (
    <MissingSetting
      message={t('redeem.noLink')}
      neutral={t('redeem.ask')}
      setUp={t('redeem.setUp')}
      tab="operation"
    />
  );
}
