/** The QR code of the WeChat account, the three minutes its code is valid as a ring, and the field for the code. */
import { Button, TextInput } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { WECHAT_CODE_SECONDS } from '#contract/outside-logins.ts';
import { RefusalNotice, type Refusal } from '#web/ui/input/refusal.tsx';
import { useCountdown } from './use-countdown.ts';
import classes from './login.module.css';

interface WeChatCodeProps {
  /** Address of the picture; may be empty. */
  picture: string;
  submitLabel: string;
  pending: boolean;
  refusal: Refusal<'code'>;
  onSubmit: (code: string) => void;
}

const RADIUS = 15;
const ROUND = 2 * Math.PI * RADIUS;

function Ring({ seconds }: { seconds: number }) {
  const minutes = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return (
    <span className={classes.ring}>
      <svg width="36" height="36" viewBox="0 0 36 36" aria-hidden>
        <circle cx="18" cy="18" r={RADIUS} />
        <circle
          cx="18"
          cy="18"
          r={RADIUS}
          data-left
          strokeDasharray={ROUND}
          strokeDashoffset={ROUND * (1 - seconds / WECHAT_CODE_SECONDS)}
        />
      </svg>
      <span>{minutes}</span>
    </span>
  );
}

export function WeChatCode({ picture, submitLabel, pending, refusal, onSubmit }: WeChatCodeProps) {
  const { t } = useTranslation('ui');
  const [code, setCode] = useState('');
  const [asked, setAsked] = useState(false);
  const [secondsLeft, start] = useCountdown(WECHAT_CODE_SECONDS);
  const missing = asked && !code.trim() ? t('login.wechatCodeRequired') : undefined;
  return (
    <form
      className={classes.wechat}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
        if (code.trim()) onSubmit(code.trim());
      }}
    >
      {picture ? <img src={picture} alt={t('login.wechatPicture')} width={180} height={180} /> : null}
      <p>{t('login.wechatText')}</p>
      {secondsLeft > 0 ? (
        <Ring seconds={secondsLeft} />
      ) : (
        <Button
          variant="default"
          leftSection={<IconRefresh size={14} stroke={1.6} />}
          onClick={() => {
            setCode('');
            start(WECHAT_CODE_SECONDS);
          }}
        >
          {t('login.wechatAgain')}
        </Button>
      )}
      <TextInput
        className={classes.wechatField}
        data-autofocus
        size="md"
        label={t('login.wechatCode')}
        name="wechat-code"
        autoComplete="one-time-code"
        value={code}
        error={missing ?? refusal.errorOf('code')}
        onChange={(event) => {
          setCode(event.currentTarget.value);
          refusal.clear('code');
        }}
      />
      <RefusalNotice refusal={refusal} />
      <Button type="submit" size="md" fullWidth loading={pending} disabled={secondsLeft === 0}>
        {submitLabel}
      </Button>
    </form>
  );
}
