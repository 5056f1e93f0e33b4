/** The short way to a first channel: choose the provider, paste the key, see its models listed and tested, save. */
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelType } from '#contract/relay/channel-fields.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { api } from '#web/api.ts';
import { errorMessage, privateAddressesOf } from '#web/api/errors.ts';
import { firstRunQuery } from '#web/api/queries.ts';
import { Drawer, DrawerFoot } from '#web/ui/drawer/drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { useFields } from '#web/ui/input/use-form.ts';
import { AllowAddress } from '#web/features/channels/allow-address.tsx';
import { TypeChooser } from '#web/features/channels/form/type-chooser.tsx';
import { createBody, draftBody, formValues } from '#web/features/channels/form/values.ts';
import { CHANNELS_KEY } from '#web/features/channels/queries.ts';
import { offerOf, type Offer } from './offer.ts';
import classes from './quick.module.css';

interface QuickDrawerProps {
  types: readonly ChannelType[];
  /** Every group gets the channel. */
  groups: readonly string[] | undefined;
  onExpert: () => void;
  onClose: () => void;
}

interface Checked extends Offer {
  tested: string;
  seconds: number;
}

/** Types that need more than a key and an address have the whole form. */
const isSimple = (type: ChannelType) => type.is_ready && !type.other_required && !type.key_is_json;

export function QuickDrawer({ types, groups, onExpert, onClose }: QuickDrawerProps) {
  const { t } = useTranslation('channels');
  const client = useQueryClient();
  const [typeNumber, setTypeNumber] = useState<number>(CHANNEL_TYPE.openAi);
  const form = useFields({ begin: () => ({ key: '', address: '' }) });
  const { key, address } = form.values;
  const [step, setStep] = useState('');
  const simple = types.filter(isSimple);
  const type = simple.find((each) => each.type === typeNumber);
  const values = { ...formValues(), type: typeNumber, key: key.trim(), base_url: address.trim() };

  const check = useMutation({
    // The form shows the failure beside the key.
    meta: { silent: true },
    mutationFn: async (): Promise<Checked> => {
      setStep(t('quick.listing'));
      const draft = draftBody(values, undefined);
      const listed = type?.can_list_models
        ? await api.channelUpstream.fetchDraftModels({ body: draft })
        : undefined;
      const offer = offerOf(type?.models ?? [], listed);
      if (offer.models.length === 0) throw new Error(t('quick.noModels'));
      let failure: unknown;
      for (const model of offer.tests) {
        setStep(t('quick.testing', { model }));
        try {
          const { time } = await api.channelUpstream.testDraft({ body: { ...draft, model } });
          return { ...offer, tested: model, seconds: time };
        } catch (error) {
          failure ??= error;
        }
      }
      if (failure !== undefined) throw failure;
      return { ...offer, tested: '', seconds: 0 };
    },
    onSettled: () => setStep(''),
  });
  const finish = useWhileShown(onClose);
  const save = useMutation({
    mutationFn: async ({ models, tested }: Checked) => {
      const name = type?.name ?? '';
      const body = createBody({
        ...values,
        name,
        models,
        groups: groups?.length ? groups : ['default'],
        test_model: tested,
      });
      const [created] = await api.channels.create({ body });
      // Gives the saved channel its response time; the test above has shown that it works.
      if (created && tested !== '')
        await api.channelUpstream.test({ params: { id: created.id }, query: {} }).catch(() => undefined);
    },
    onSuccess: async () => {
      form.unsaved.end();
      toast.success(t('message.created', { count: 1 }));
      void client.invalidateQueries({ queryKey: CHANNELS_KEY });
      void client.invalidateQueries({ queryKey: firstRunQuery.queryKey });
      finish();
    },
  });
  const begin = (change: () => void) => {
    change();
    check.reset();
  };
  const found = check.data;
  const isComplete = key.trim() !== '' && (!type?.base_url_required || address.trim() !== '');
  const submit = () => {
    if (found) save.mutate(found);
    else if (isComplete && type && !check.isPending) check.mutate();
  };

  return (
    <Drawer
      title={t('quick.title')}
      form={form}
      onClose={onClose}
      onSubmit={submit}
      footer={
        <DrawerFoot
          right={
            <Button variant="subtle" onClick={onExpert}>
              {t('quick.expert')}
            </Button>
          }
        >
          {found ? (
            <Button type="submit" loading={save.isPending}>
              {t('quick.save')}
            </Button>
          ) : (
            <Button type="submit" loading={check.isPending} disabled={!isComplete || !type}>
              {t('quick.check')}
            </Button>
          )}
        </DrawerFoot>
      }
    >
      <div className={`stack12 ${layout.stack}`}>
        <Field label={t('quick.provider')}>
          <TypeChooser
            types={simple}
            value={typeNumber}
            onChange={({ type: chosen }) => begin(() => setTypeNumber(chosen))}
          />
        </Field>
        <Field {...form.row('key')} label={t('quick.key')} required>
          <PasswordInput
            {...form.control('key')}
            data-autofocus
            placeholder={type?.key_format || t('form.keyPlaceholder')}
            autoComplete="new-password"
            spellCheck={false}
            visibilityToggleButtonProps={{ 'aria-label': t('form.showKey') }}
            onChange={(event) => begin(() => form.set('key', event.currentTarget.value))}
          />
        </Field>
        <Field
          {...form.row('address')}
          label={t('quick.baseUrl')}
          required={type?.base_url_required ?? false}
        >
          <TextInput
            {...form.control('address')}
            placeholder={type?.default_base_url || 'https://'}
            autoComplete="off"
            onChange={(event) => begin(() => form.set('address', event.currentTarget.value))}
          />
        </Field>
        <div role="status" aria-live="polite">
          {step === '' ? null : <p className="note">{step}</p>}
          {found ? <Found found={found} /> : null}
        </div>
        {check.error ? (
          <>
            <NoticeBox tone="danger">{errorMessage(check.error)}</NoticeBox>
            <AllowAddress addresses={privateAddressesOf(check.error)} onAllowed={() => check.mutate()} />
          </>
        ) : null}
      </div>
    </Drawer>
  );
}

function Found({ found: { models, left, tested, seconds } }: { found: Checked }) {
  const { t } = useTranslation('channels');
  return (
    <div className={classes.found}>
      {tested === '' ? null : (
        <p className={`row6 success`}>
          <IconCheck size={15} stroke={2} aria-hidden />
          {t('quick.passed', { model: tested, seconds: seconds.toFixed(2) })}
        </p>
      )}
      <p>{t('quick.offered', { count: models.length })}</p>
      <ul className={`flow4 ${classes.models}`}>
        {models.map((model) => (
          <li key={model}>{model}</li>
        ))}
      </ul>
      {left > 0 ? <p className="note">{t('quick.left', { count: left })}</p> : null}
    </div>
  );
}
