/** The form of a user in its drawer, for a new one and for one that exists. */
import { ActionIcon, PasswordInput, Select, TextInput, Tooltip } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { IconKey, IconLink, IconSparkles, IconUser } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ManagedUser } from '#contract/admin/users.ts';
import { api } from '#web/api.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { FormDrawer } from '#web/ui/drawer/form-drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field, Section } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { useForm } from '#web/ui/input/use-form.ts';
import { BindingMark, boundTo, useBindingText } from './cells.tsx';
import { baseValues, changeBody, changedCount, createBody, type UserFormValues } from './form-values.ts';
import { QuotaSection } from './form-quota.tsx';
import { newPassword } from './new-password.ts';
import { userQueries, USERS_KEY } from './queries.ts';
import { useUserRules, type UserForm as Form } from './use-user-form.ts';
import classes from './form.module.css';

interface UserFormProps {
  /** Undefined: a new one. */
  user: ManagedUser | undefined;
  groups: readonly string[] | undefined;
  onClose: () => void;
}

export function UserForm({ user, groups, onClose }: UserFormProps) {
  const { t } = useTranslation('users');
  const client = useQueryClient();
  // The form saves its difference to this copy: a refetch of the user must not change what is saved.
  const [loaded] = useState(user);
  const finish = useWhileShown(onClose);
  const form = useForm<UserFormValues, ManagedUser>({
    ...useUserRules(loaded),
    mayCall: (values) => {
      const isChanged = !loaded || changedCount(values, loaded) > 0;
      if (!isChanged) toast.warning(t('error.unchanged'));
      return isChanged;
    },
    send: (values, { base, requestId }) =>
      loaded
        ? saveOnBase({
            body: { ...changeBody(values, loaded, requestId()), based_on: baseValues(base) },
            send: (body) => api.userManagement.change({ body }),
            labelOf: (field) =>
              field === 'username' || field === 'group' ? t(`form.${field}`) : t('form.displayName'),
          })
        : api.userManagement.create({ body: createBody(values) }),
    onSent: (saved) => {
      client.setQueryData(userQueries.one(saved.id).queryKey, saved);
      toast.success(loaded ? t('message.updated') : t('message.created'));
      finish();
    },
    refresh: [USERS_KEY],
  });
  return (
    <FormDrawer
      title={user ? t('form.editTitle') : t('form.createTitle')}
      subtitle={
        user ? (
          <span className="inline8 shrink soft">
            <Tag>#{user.id}</Tag>
            {user.username}
          </span>
        ) : undefined
      }
      createLabel={user ? undefined : t('form.create')}
      savesUnchanged
      form={{ ...form, changed: loaded ? changedCount(form.values, loaded) : 0 }}
      onClose={onClose}
    >
      <Section icon={<IconUser size={15} stroke={1.6} />} title={t('form.profile')}>
        <div className="stack12">
          <NameFields form={form} isNew={!user} />
          <GroupField form={form} groups={groups} />
          {user ? null : <PasswordField form={form} isNew />}
        </div>
      </Section>
      {loaded ? (
        <>
          <QuotaSection form={form} user={loaded} />
          <Section
            icon={<IconKey size={15} stroke={1.6} />}
            title={t('form.access')}
            fact={loaded.two_factor ? t('form.twoFactorOn') : t('form.twoFactorOff')}
          >
            <PasswordField form={form} isNew={false} />
          </Section>
          <Bindings user={loaded} />
        </>
      ) : null}
    </FormDrawer>
  );
}

/** Only the form of a new user takes the focus: otherwise the phone's keyboard would open for a mere look. */
function NameFields({ form, isNew }: { form: Form; isNew: boolean }) {
  const { t } = useTranslation('users');
  return (
    <div className={`pair ${layout.pairOrColumn}`}>
      <Field label={t('form.username')} {...form.row('username')} required hint={t('form.usernameHint')}>
        <TextInput
          {...form.control('username')}
          autoComplete="off"
          data-autofocus={isNew || undefined}
          aria-required
        />
      </Field>
      <Field label={t('form.displayName')} {...form.row('display_name')} hint={t('form.displayNameHint')}>
        <TextInput {...form.control('display_name')} autoComplete="off" />
      </Field>
    </div>
  );
}

function GroupField({ form, groups }: { form: Form; groups: readonly string[] | undefined }) {
  const { t } = useTranslation('users');
  const { group } = form.values;
  // The user keeps a group that was removed from the settings.
  const options = [...new Set([...(groups ?? []), group])];
  return (
    <Field label={t('form.group')} {...form.row('group')}>
      <Select {...form.control('group')} data={options} allowDeselect={false} />
    </Field>
  );
}

function PasswordField({ form, isNew }: { form: Form; isNew: boolean }) {
  const { t } = useTranslation('users');
  const { t: ui } = useTranslation('ui');
  const [shown, setShown] = useState(false);
  return (
    <Field
      label={isNew ? t('form.password') : t('form.newPassword')}
      {...form.row('password')}
      required={isNew}
      hint={isNew ? t('form.passwordHint') : t('form.newPasswordHint')}
    >
      <div className={`flex8 ${classes.withAction}`}>
        <PasswordInput
          {...form.control('password')}
          autoComplete="new-password"
          visible={shown}
          onVisibilityChange={setShown}
          visibilityToggleButtonProps={{ 'aria-label': shown ? ui('secret.hide') : ui('secret.reveal') }}
          aria-required={isNew}
        />
        <Tooltip label={t('form.generate')}>
          <ActionIcon
            variant="default"
            size="var(--height-control)"
            aria-label={t('form.generate')}
            onClick={() => {
              form.set('password', newPassword());
              setShown(true);
            }}
          >
            <IconSparkles size={15} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </div>
    </Field>
  );
}

function Bindings({ user }: { user: ManagedUser }) {
  const { t } = useTranslation('users');
  const textOf = useBindingText();
  const bound = boundTo(user);
  return (
    <Section
      icon={<IconLink size={15} stroke={1.6} />}
      title={t('form.bindings')}
      fact={bound.length === 0 ? t('binding.none') : t('form.bindingsHint')}
    >
      {bound.length === 0 ? null : (
        <dl className={`stack6 ${classes.facts}`}>
          {bound.map((binding) => (
            <div key={binding.field}>
              <dt>
                <BindingMark to={binding.to} />
                {t(`binding.${binding.field}`)}
              </dt>
              <dd>{textOf(user, binding)}</dd>
            </div>
          ))}
        </dl>
      )}
    </Section>
  );
}
