/** Extra rows of some sections: a wrong server address, a test of the word filter, a test mail, callback addresses, the version. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { statusQuery, useStatus } from '#web/api/status.ts';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { Configuration } from './configuration.tsx';
import { LogCleanup } from './log-cleanup.tsx';
import type { SectionId } from '#web/features/settings/sections.ts';
import type { OptionsForm } from '#web/features/settings/use-options.ts';
import classes from './form.module.css';

interface ExtraProps {
  form: OptionsForm;
}

/** The callback addresses of the login providers. */
const CALLBACKS: Partial<Record<SectionId, string>> = {
  github: '/oauth/github',
  linuxdo: '/oauth/linuxdo',
  oidc: '/oauth/oidc',
};

export function SectionExtra({ id, form }: ExtraProps & { id: SectionId }) {
  const callback = CALLBACKS[id];
  if (callback) return <Callback form={form} path={callback} />;
  if (id === 'address') return <OwnAddress form={form} />;
  if (id === 'logs') return <LogCleanup />;
  if (id === 'sensitive') return <WordTrial form={form} />;
  if (id === 'smtp') return <TestMail form={form} />;
  if (id === 'configuration') return <Configuration />;
  if (id === 'version') return <Version />;
  return null;
}

function Callback({ form, path }: ExtraProps & { path: string }) {
  const { t } = useTranslation('settings');
  const address = `${(form.text('ServerAddress') || window.location.origin).replace(/\/+$/, '')}${path}`;
  return (
    <div className={classes.row}>
      <div className={classes.name}>
        <span>{t('field.callback')}</span>
      </div>
      <div className={`stack4 shrink ${classes.control}`}>
        <span className={`row8 ${classes.copyLine}`}>
          <code>{address}</code>
          <CopyButton text={address} label={t('field.callback')} />
        </span>
      </div>
    </div>
  );
}

/** Warns when the saved address differs from the one the console was opened at: links in mails and pictures use the saved one. */
function OwnAddress({ form }: ExtraProps) {
  const { t } = useTranslation('settings');
  const { origin } = window.location;
  const address = form.text('ServerAddress');
  if (address === origin) return null;
  return <NoticeBox tone="warning">{t('address.differs', { address: address || '–', origin })}</NoticeBox>;
}

/** The same comparison as the relay: a substring, case-insensitive. */
function WordTrial({ form }: ExtraProps) {
  const { t } = useTranslation('settings');
  const id = useId();
  const [text, setText] = useState('');
  const words = form
    .text('SensitiveWords')
    .split('\n')
    .map((word) => word.trim())
    .filter(Boolean);
  const hits = words.filter((word) => text.toLowerCase().includes(word.toLowerCase()));
  return (
    <div className={classes.row}>
      <div className={classes.name}>
        <label htmlFor={id}>{t('words.test')}</label>
      </div>
      <div className={`stack4 shrink ${classes.control}`}>
        <TextInput id={id} value={text} onChange={(event) => setText(event.currentTarget.value)} />
        {text === '' ? null : (
          <p className={hits.length > 0 ? classes.error : classes.hint} role="status">
            {hits.length > 0 ? t('words.hit', { words: hits.slice(0, 8).join(', ') }) : t('words.clean')}
          </p>
        )}
      </div>
    </div>
  );
}

function TestMail({ form: settings }: ExtraProps) {
  const { t } = useTranslation('settings');
  const form = useForm({
    begin: () => ({ to: '' }),
    unguarded: ['to'],
    mayCall: () => {
      const unsaved = settings.changed.some(({ group }) => group === 'smtp');
      if (unsaved) toast.warning(t('mail.saveFirst'));
      return !unsaved;
    },
    send: ({ to }) => api.mail.test({ body: to.trim() === '' ? {} : { to: to.trim() } }),
    onSent: ({ recipient }) => toast.success(t('mail.sent', { recipient })),
  });
  return (
    <div className={classes.row}>
      <div className={classes.name}>
        <label htmlFor={form.row('to').htmlFor}>{t('mail.to')}</label>
      </div>
      <div className={`stack4 shrink ${classes.control}`}>
        <FormElement form={form}>
          <RefusalNotice refusal={form.refusal} />
          <div className={`row8 ${classes.addLine}`}>
            <TextInput {...form.field('to')} type="email" autoComplete="off" />
            <Button type="submit" variant="default" loading={form.isSending}>
              {t('mail.test')}
            </Button>
          </div>
        </FormElement>
      </div>
    </div>
  );
}

function Version() {
  const { t } = useTranslation('settings');
  const client = useQueryClient();
  const status = useStatus();
  const [loaded] = useState(status?.version);
  const check = useMutation({
    mutationFn: () => client.fetchQuery({ ...statusQuery, staleTime: 0 }),
    onSuccess: ({ version }) => {
      if (version === loaded) toast.success(t('version.latest', { version }));
      else toast.info(t('version.newer', { version }));
    },
  });
  return (
    <>
      <div className={classes.row}>
        <div className={classes.name}>
          <span>{t('version.current')}</span>
        </div>
        <div className={`stack4 shrink ${classes.control}`}>
          <span className={`row8 ${classes.copyLine}`}>
            <code>{status?.version}</code>
            <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
              {t('version.check')}
            </Button>
          </span>
        </div>
      </div>
      <div className={classes.row}>
        <div className={classes.name}>
          <span>{t('version.started')}</span>
        </div>
        <div className={`stack4 shrink ${classes.control}`}>
          {status ? absoluteTime(status.start_time) : null}
        </div>
      </div>
    </>
  );
}
