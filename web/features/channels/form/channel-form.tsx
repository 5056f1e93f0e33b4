/** The form of a channel in its drawer: six sections on one scroll with an index, test before saving. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isJsonObject, type ChannelType, type ChannelView } from '#contract/relay/channel-fields.ts';
import { api } from '#web/api.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { FormDrawer } from '#web/ui/drawer/form-drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Section } from '#web/ui/input/field.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import layout from '#web/ui/input/form.module.css';
import { useForm } from '#web/ui/input/use-form.ts';
import { Advanced } from './advanced.tsx';
import { Basics } from './basics.tsx';
import { Costs } from './costs.tsx';
import { Credentials } from './credentials.tsx';
import { Models } from './models.tsx';
import {
  baseBody,
  changeBody,
  createBody,
  draftBody,
  type ChannelFormValues,
  type FieldName,
} from './values.ts';
import { MappingSection } from './mapping.tsx';
import { CHANNELS_KEY, typeLookup } from '#web/features/channels/queries.ts';
import { useChannelRules } from './use-channel-form.ts';
import { StatusNotice } from './status-notice.tsx';
import classes from './form.module.css';

interface ChannelFormProps {
  /** Undefined: a new one. */
  channel: ChannelView | undefined;
  types: readonly ChannelType[];
  groups: readonly string[] | undefined;
  tags: readonly string[];
  onClose: () => void;
}

const LABELS = {
  type: 'form.type',
  name: 'form.name',
  key: 'form.key',
  base_url: 'form.baseUrl',
  openai_organization: 'form.organization',
  models: 'form.models',
  groups: 'form.groups',
  model_mapping: 'form.mapping',
  tag: 'form.tag',
  priority: 'form.priority',
  weight: 'form.weight',
  auto_ban: 'form.autoBan',
  test_model: 'form.testModel',
  status_code_mapping: 'form.statusMapping',
  setting: 'form.setting',
  param_override: 'form.paramOverride',
  header_override: 'form.headerOverride',
  max_concurrency: 'form.maxConcurrency',
  supplier_id: 'costs.supplier',
  buy_price: 'costs.own',
} as const satisfies Partial<Record<FieldName, string>>;

const SECTIONS = ['basics', 'credentials', 'models', 'mapping', 'costs', 'advanced'] as const;

export function ChannelFormDrawer({ channel, types, groups, tags, onClose }: ChannelFormProps) {
  const { t } = useTranslation('channels');
  // A refetch of the channel must not change what the save is based on.
  const [loaded] = useState(channel);
  const phone = usePhone();
  const prefix = useId();
  const finish = useWhileShown(onClose);
  const form = useForm<ChannelFormValues, number>({
    ...useChannelRules(loaded, typeLookup(types)),
    send: async (values, fields) => {
      if (!channel) return (await api.channels.create({ body: createBody(values) })).length;
      const based_on = baseBody(loaded ?? channel, fields);
      await saveOnBase({
        body: { ...changeBody(values, fields.initial, channel.id), based_on },
        send: (body) => api.channels.change({ body }),
        labelOf: (field) => (field in LABELS ? t(LABELS[field as keyof typeof LABELS]) : field),
      });
      return 0;
    },
    onSent: (count) => {
      toast.success(channel ? t('message.updated') : t('message.created', { count }));
      finish();
    },
    refresh: [CHANNELS_KEY],
  });
  const type = types.find((each) => each.type === form.values.type);
  const nameId = form.idOf('name');
  useEffect(() => {
    if (channel) return undefined;
    // The focus trap of the drawer sets the focus in the next task; the name field must get it after that.
    const timer = setTimeout(() => document.getElementById(nameId)?.focus(), 20);
    return () => clearTimeout(timer);
  }, [channel, nameId]);
  const test = useMutation({
    ...form.refusal.mutation,
    mutationFn: () => {
      const { values } = form;
      return api.channelUpstream.testDraft({
        body: {
          ...draftBody(values, channel?.id),
          model: values.test_model || (values.models[0] ?? ''),
          model_mapping: isJsonObject(values.model_mapping) ? values.model_mapping : '',
          param_override: isJsonObject(values.param_override) ? values.param_override : '',
        },
      });
    },
    onSuccess: ({ data, time }) =>
      toast.success(t('message.draftTested', { model: data.model, seconds: time.toFixed(2) })),
  });
  const id = (section: string) => `${prefix}${section}`;

  return (
    <FormDrawer
      title={channel ? t('form.editTitle') : t('form.createTitle')}
      subtitle={
        channel ? (
          <span className={layout.named} tabIndex={-1} data-autofocus>
            <Tag>#{channel.id}</Tag>
          </span>
        ) : undefined
      }
      createLabel={channel ? undefined : t('form.create')}
      right={
        <Button
          variant="subtle"
          leftSection={<IconPlayerPlay size={15} stroke={1.6} />}
          loading={test.isPending}
          disabled={!type?.is_ready || form.values.models.length === 0}
          onClick={() => test.mutate()}
        >
          {phone ? t('action.test') : t('form.testFirst')}
        </Button>
      }
      form={form}
      onClose={onClose}
    >
      <nav className={classes.index} aria-label={t('form.index')}>
        {SECTIONS.map((section) => (
          <button
            key={section}
            type="button"
            onClick={() => document.getElementById(id(section))?.scrollIntoView({ block: 'start' })}
          >
            {t(`section.${section}`)}
          </button>
        ))}
      </nav>
      {channel ? <StatusNotice channel={channel} /> : null}
      <div id={id('basics')} className={classes.anchor}>
        <Basics form={form} types={types} tags={tags} isNew={!channel} />
      </div>
      <Section id={id('credentials')} title={t('section.credentials')}>
        <Credentials form={form} type={type} channel={channel} />
      </Section>
      <Section id={id('models')} title={t('section.models')}>
        <Models form={form} type={type} types={types} groups={groups} channelId={channel?.id} />
      </Section>
      <Section id={id('mapping')} title={t('section.mapping')}>
        <MappingSection form={form} />
      </Section>
      <Section id={id('costs')} title={t('section.costs')}>
        <Costs form={form} />
      </Section>
      <Section id={id('advanced')} title={t('section.advanced')}>
        <Advanced form={form} />
      </Section>
    </FormDrawer>
  );
}
