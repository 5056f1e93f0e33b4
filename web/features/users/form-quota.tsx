/** The balance, changed by a difference or to a wanted amount: change, new balance, result, and reason. */
import { TextInput } from '@mantine/core';
import { IconWallet } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ManagedUser } from '#contract/admin/users.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import {
  CURRENCY_SIGN,
  formatMoney,
  groupDigits,
  moneyToQuota,
  quotaToMoney,
  renderQuota,
} from '#web/ui/format/number.ts';
import { QuickPicks } from '#web/ui/input/chips.tsx';
import { Field, Section } from '#web/ui/input/field.tsx';
import { quotaChangeOf } from './form-values.ts';
import type { UserForm } from './use-user-form.ts';
import classes from './form.module.css';

const PICKS_MONEY = [1, 10, 50, 100] as const;

/** A typed amount; undefined when it is not a number. */
function typedMoney(text: string): number | undefined {
  const plain = text.replaceAll(/[,\s$]/g, '').replace('−', '-');
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain)) return undefined;
  return Number(plain);
}

export function QuotaSection({ form, user }: { form: UserForm; user: ManagedUser }) {
  const { t } = useTranslation('users');
  const display = useDisplay();
  const moneyId = useId();
  const balanceId = useId();
  // The typed text; typing in the other field computes it.
  const [money, setMoney] = useState('');
  const [balance, setBalance] = useState('');
  const change = quotaChangeOf(form.values.quota_change);
  const error = form.errorOf('quota_change');

  const setQuota = (quota: number, text: string) => {
    setBalance('');
    form.set('quota_change', quota === 0 && text === '' ? '' : String(quota));
    setMoney(text);
  };
  const typeMoney = (text: string) => {
    const value = typedMoney(text);
    setMoney(text);
    setBalance('');
    // Invalid text is passed on, so that the field shows its error.
    if (text.trim() === '') form.set('quota_change', '');
    else form.set('quota_change', value === undefined ? text : String(moneyToQuota(value, display)));
  };
  const typeQuota = (text: string) => {
    form.set('quota_change', text);
    const quota = quotaChangeOf(text);
    setMoney(quota ? String(Number(quotaToMoney(quota, display).toFixed(6))) : '');
  };
  /** The wanted balance becomes a difference to the loaded one, so that spending in between is not undone. */
  const typeBalance = (text: string) => {
    const value = typedMoney(text);
    setBalance(text);
    if (text.trim() === '') typeQuota('');
    else typeQuota(value === undefined ? text : String(moneyToQuota(value, display) - user.quota));
  };
  const after = user.quota + (change ?? 0);

  return (
    <Section
      icon={<IconWallet size={15} stroke={1.6} />}
      title={t('form.quota')}
      fact={`${t('form.now')} ${renderQuota(user.quota, display)}`}
    >
      <div className="stack12">
        <Field label={t('form.change')} htmlFor={moneyId} hint={t('form.changeHint')} error={error}>
          <div className={classes.linked}>
            <TextInput
              id={moneyId}
              aria-label={t('form.money')}
              inputMode="decimal"
              autoComplete="off"
              placeholder="0.00"
              value={money}
              leftSection={<span className="muted">{CURRENCY_SIGN}</span>}
              error={Boolean(error)}
              onChange={(event) => typeMoney(event.currentTarget.value)}
            />
            <span aria-hidden>=</span>
            <TextInput
              aria-label={t('form.amount')}
              inputMode="numeric"
              autoComplete="off"
              placeholder="0"
              value={form.values.quota_change}
              rightSection={<span className="muted">{t('form.unit')}</span>}
              rightSectionWidth={48}
              error={Boolean(error)}
              onChange={(event) => {
                setBalance('');
                typeQuota(event.currentTarget.value);
              }}
            />
          </div>
        </Field>
        <QuickPicks
          label={t('form.picks')}
          picks={PICKS_MONEY.map((value) => ({ label: `+${CURRENCY_SIGN}${value}`, value }))}
          onPick={(value) => {
            const quota = (change ?? 0) + moneyToQuota(value, display);
            setQuota(quota, String(Number(quotaToMoney(quota, display).toFixed(6))));
          }}
        />
        <Field label={t('form.balance')} htmlFor={balanceId} hint={t('form.balanceHint')}>
          <TextInput
            id={balanceId}
            inputMode="decimal"
            autoComplete="off"
            placeholder={formatMoney(quotaToMoney(user.quota, display)).replace(CURRENCY_SIGN, '')}
            value={balance}
            leftSection={<span className="muted">{CURRENCY_SIGN}</span>}
            onChange={(event) => typeBalance(event.currentTarget.value)}
          />
        </Field>
        {change ? (
          <p className={classes.preview} data-bad={error ? true : undefined} role="status">
            <span>{t('form.preview')}</span>
            <span>{renderQuota(user.quota, display)}</span>
            <span data-sign={change > 0 ? 'plus' : 'minus'}>
              {change > 0 ? '+' : '−'}
              {renderQuota(Math.abs(change), display)}
            </span>
            <span>=</span>
            <b title={groupDigits(after)}>
              {after < 0 ? formatMoney(quotaToMoney(after, display)) : renderQuota(after, display)}
            </b>
          </p>
        ) : null}
        {change ? (
          <Field label={t('form.reason')} {...form.row('quota_reason')} hint={t('form.reasonHint')}>
            <TextInput
              {...form.control('quota_reason')}
              maxLength={200}
              autoComplete="off"
              placeholder={t('form.reasonPlaceholder')}
            />
          </Field>
        ) : null}
      </div>
    </Section>
  );
}
