/** The WeChat account QR code and the field for the code. A code is valid for three minutes from when WeChat sends it, which only the server knows. */
import { Button, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import type { Form } from '#web/ui/input/use-form.ts';
import classes from './login.module.css';

interface WeChatCodeProps {
  /** Address of the picture; may be empty. */
  picture: string;
  submitLabel: string;
  form: Form<{ code: string }>;
}

export function WeChatCode({ picture, submitLabel, form }: WeChatCodeProps) {
  const { t } = useTranslation('ui');
  return (
    <FormElement form={form} className={`stack12 row12 ${classes.wechat}`}>
      {picture ? <img src={picture} alt={t('login.wechatPicture')} width={180} height={180} /> : null}
      <p>{t('login.wechatText')}</p>
      <TextInput
        {...form.field('code')}
        className={classes.wechatField}
        data-autofocus
        size="md"
        label={t('login.wechatCode')}
        name="wechat-code"
        autoComplete="one-time-code"
      />
      <RefusalNotice refusal={form.refusal} />
      <Button type="submit" size="md" fullWidth loading={form.isSending}>
        {submitLabel}
      </Button>
    </FormElement>
  );
}
