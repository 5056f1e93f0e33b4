/** Amount, way to pay, price; a dialog repeats all three before the provider's page opens. */
import { Button, Modal, NumberInput, SegmentedControl, TextInput, UnstyledButton } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TopUpInfo } from '#contract/money/orders.ts';
import { errorMessage } from '#web/api/errors.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { useMoneyText } from '#web/ui/format/money.ts';
import { CURRENCY_SIGN, groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { Field } from '#web/ui/input/field.tsx';
import { useTopUp, type TopUp } from './use-top-up.ts';
import { useReturnFocus } from '#web/ui/feedback/use-return-focus.ts';
import classes from './top-up.module.css';

interface TopUpFormProps {
  info: TopUpInfo;
  onPlaced: (tradeNo: string) => void;
}

export function TopUpForm({ info, onPlaced }: TopUpFormProps) {
  const { t } = useTranslation('wallet');
  const id = useId();
  const [isConfirming, setConfirming] = useState(false);
  const [hasCode, setHasCode] = useState(false);
  const topUp = useTopUp(info, onPlaced);
  const { amount, isTooSmall, price } = topUp;
  const inDollars = info.unit_quota > 1;
  const minimum = inDollars ? CURRENCY_SIGN + groupDigits(info.min_topup) : groupDigits(info.min_topup);
  return (
    <form
      noValidate
      className="stack12"
      onSubmit={(event) => {
        event.preventDefault();
        if (topUp.isPriced && price.data) setConfirming(true);
      }}
    >
      <Presets info={info} topUp={topUp} />
      <Field
        label={t('online.amount')}
        htmlFor={id}
        fact={t('online.minimum', { minimum })}
        error={isTooSmall ? t('online.tooSmall', { minimum: info.min_topup }) : undefined}
      >
        <NumberInput
          id={id}
          value={amount}
          min={1}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          leftSection={inDollars ? <span aria-hidden>{CURRENCY_SIGN}</span> : null}
          error={isTooSmall}
          onChange={(value) => topUp.setAmount(Number(value) || 1)}
        />
      </Field>
      {hasCode ? (
        <TextInput
          label={t('online.code')}
          value={topUp.code}
          maxLength={64}
          autoComplete="off"
          data-autofocus
          onChange={(event) => topUp.setCode(event.currentTarget.value)}
        />
      ) : (
        <UnstyledButton className={`caption ${classes.more}`} onClick={() => setHasCode(true)}>
          {t('online.haveCode')}
        </UnstyledButton>
      )}
      <SegmentedControl
        aria-label={t('online.method')}
        value={topUp.method}
        onChange={topUp.setMethod}
        data={info.methods.map(({ name }) => ({ value: name, label: t(`online.methods.${name}`) }))}
      />
      <div className={`row12 between ${classes.foot}`}>
        <Price info={info} topUp={topUp} />
        <Button type="submit" disabled={!topUp.isPriced || !price.data} loading={topUp.pay.isPending}>
          {t('online.submit')}
        </Button>
      </div>
      {topUp.pay.error ? (
        <p role="alert" className="danger">
          {errorMessage(topUp.pay.error)}
        </p>
      ) : null}
      {isConfirming ? <Confirm topUp={topUp} onClose={() => setConfirming(false)} /> : null}
    </form>
  );
}

function Presets({ info, topUp }: { info: TopUpInfo; topUp: TopUp }) {
  const { t } = useTranslation('wallet');
  const display = useDisplay();
  if (info.presets.length === 0) return null;
  return (
    <div className={classes.presets} role="group" aria-label={t('online.presets')}>
      {info.presets.map(({ amount, discount }) => (
        <UnstyledButton
          key={amount}
          className={classes.preset}
          aria-pressed={topUp.amount === amount}
          onClick={() => topUp.setAmount(amount)}
        >
          <b>{renderQuota(amount * info.unit_quota, display, 0)}</b>
          {discount < 1 ? (
            <span>{t('online.off', { percent: Math.round((1 - discount) * 100) })}</span>
          ) : null}
        </UnstyledButton>
      ))}
    </div>
  );
}

/** “Pay ¥73.00, get $10”; why it is not the plain price stands below it. */
function Price({ info, topUp }: { info: TopUpInfo; topUp: TopUp }) {
  const { t } = useTranslation('wallet');
  const words = useOffer(topUp);
  const { price, isTooSmall } = topUp;
  if (isTooSmall) return <span />;
  if (price.error)
    return (
      <p role="alert" className="danger">
        {t('online.priceError', { message: errorMessage(price.error) })}
      </p>
    );
  return (
    <div className={classes.price} aria-live="polite" data-stale={topUp.isPriced ? undefined : true}>
      {words ? (
        <>
          <b>{words.pay}</b>
          <span>{words.get}</span>
        </>
      ) : null}
      {info.group_ratio === 1 ? null : <small>{t('online.groupRatio', { ratio: info.group_ratio })}</small>}
    </div>
  );
}

function useOffer({ price, method }: TopUp) {
  const { t } = useTranslation('wallet');
  const money = useMoneyText();
  const display = useDisplay();
  if (!price.data) return undefined;
  const { amount_minor, currency, currency_digits, quota } = price.data;
  return {
    pay: t('online.pay', { price: money({ amount_minor, currency, currency_digits }) }),
    get: t('online.get', { amount: renderQuota(quota, display) }),
    method: t(`online.methods.${method}`),
  };
}

function Confirm({ topUp, onClose }: { topUp: TopUp; onClose: () => void }) {
  const { t } = useTranslation('wallet');
  const { t: ui } = useTranslation('ui');
  const words = useOffer(topUp);
  useReturnFocus();
  if (!words) return null;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('online.confirm.title')}
      closeButtonProps={{ 'aria-label': ui('action.close') }}
    >
      <p className={classes.offer}>
        <b>{words.pay}</b>
        <span>{words.get}</span>
      </p>
      <p className="soft">{t('online.confirm.note', { method: words.method })}</p>
      <div className="buttons-below">
        <Button variant="default" onClick={onClose}>
          {ui('action.cancel')}
        </Button>
        <Button
          data-autofocus
          onClick={() => {
            onClose();
            topUp.submit();
          }}
        >
          {t('online.confirm.go')}
        </Button>
      </div>
    </Modal>
  );
}
