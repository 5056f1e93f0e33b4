/** The QR code of the WeChat account and the field for the code. A code is valid for three minutes from when WeChat sends it, which only the server knows. */
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RefusalNotice, type Refusal } from '#web/ui/input/refusal.tsx';
import classes from './login.module.css';

interface WeChatCodeProps {
  /** Address of the picture; may be empty. */
  picture: string;
  submitLabel: string;
  pending: boolean;
  refusal: Refusal<'code'>;
  onSubmit: (code: string) => void;
}

export function WeChatCode({ picture, submitLabel, pending, refusal, onSubmit }: WeChatCodeProps) {
  const { t } = useTranslation('ui');
  const [code, setCode] = useState('');
  const [asked, setAsked] = useState(false);
  const missing = asked && !code.trim() ? t('login.wechatCodeRequired') : undefined;
  return (
    <form
      className={`stack12 row12 ${classes.wechat}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
        if (code.trim()) onSubmit(code.trim());
      }}
    >
      {picture ? <img src={picture} alt={t('login.wechatPicture')} width={180} height={180} /> : null}
      <p>{t('login.wechatText')}</p>
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
      <Button type="submit" size="md" fullWidth loading={pending}>
        {submitLabel}
      </Button>
    </form>
  );
}
