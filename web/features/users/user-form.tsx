/** The form of a user in its drawer, for a new one and for one that exists. */
import { ActionIcon, Button, PasswordInput, Select, TextInput, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconKey, IconLink, IconSparkles, IconUser } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ManagedUser } from '#contract/admin/users.ts';
import { api } from '#web/api.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { Drawer, DrawerFoot } from '#web/ui/drawer/drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field, Section } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { BindingMark, boundTo, useBindingText } from './cells.tsx';
import { baseValues, changeBody, createBody } from './form-values.ts';
import { QuotaSection } from './form-quota.tsx';
import { newPassword } from './new-password.ts';
import { userQueries, USERS_KEY } from './queries.ts';
import { useUserForm, type UserForm as Form } from './use-user-form.ts';
import classes from './form.module.css';

interface UserFormProps {
  /** Undefined: a new one. */
  user: ManagedUser | undefined;
  groups: readonly string[] | undefined;
  onClose: () => void;
}

export function UserForm({ user, groups, onClose }: UserFormProps) {
  const { t } = useTranslation('users');
  const { t: ui } = useTranslation('ui');
  const client = useQueryClient();
  // The form saves its difference to this copy: a refetch of the user must not change what is saved.
  const [loaded] = useState(user);
  const [key] = useState(() => crypto.randomUUID());
  const form = useUserForm(loaded);

  const finish = useWhileShown(onClose);
  const save = useMutation({
    ...form.refusal.mutation,
    mutationFn: () =>
      loaded
        ? saveOnBase({
            body: { ...changeBody(form.values, loaded, key), based_on: baseValues(form.base) },
            send: (body) => api.userManagement.change({ body }),
            labelOf: (field) =>
              field === 'username' || field === 'group' ? t(`form.${field}`) : t('form.displayName'),
          })
        : api.userManagement.create({ body: createBody(form.values) }),
    onSuccess: (saved) => {
      form.unsaved.end();
      client.setQueryData(userQueries.one(saved.id).queryKey, saved);
      void client.invalidateQueries({ queryKey: USERS_KEY });
      toast.success(loaded ? t('message.updated') : t('message.created'));
      finish();
    },
  });
  const submit = () => {
    if (!form.check() || save.isPending) return;
    if (loaded && form.changed === 0) toast.warning(t('error.unchanged'));
    else save.mutate();
  };

  return (
    <Drawer
      title={user ? t('form.editTitle') : t('form.createTitle')}
      subtitle={
        user ? (
          <span className="inline8 shrink soft">
            <Tag>#{user.id}</Tag>
            {user.username}
          </span>
        ) : undefined
      }
      onClose={onClose}
      onSubmit={submit}
      form={form}
      footer={
        <DrawerFoot changed={form.changed} problems={form.shownProblems} refusal={form.refusal}>
          <Button type="submit" loading={save.isPending}>
            {user ? ui('action.save') : t('form.create')}
          </Button>
          <Button variant="default" onClick={onClose}>
            {ui('action.cancel')}
          </Button>
        </DrawerFoot>
      }
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
    </Drawer>
  );
}

/** Only the form of a new user takes the focus: otherwise the phone's keyboard would open for a mere look. */
function NameFields({ form, isNew }: { form: Form; isNew: boolean }) {
  const { t } = useTranslation('users');
  const username = useId();
  const displayName = useId();
  return (
    <div className={`pair ${layout.pairOrColumn}`}>
      <Field
        label={t('form.username')}
        htmlFor={username}
        required
        hint={t('form.usernameHint')}
        error={form.errorOf('username')}
      >
        <TextInput
          id={username}
          value={form.values.username}
          autoComplete="off"
          data-autofocus={isNew || undefined}
          aria-required
          error={Boolean(form.errorOf('username'))}
          onChange={(event) => form.set('username', event.currentTarget.value)}
          onBlur={() => {
            if (form.values.username !== '') form.leave('username');
          }}
        />
      </Field>
      <Field
        label={t('form.displayName')}
        htmlFor={displayName}
        hint={t('form.displayNameHint')}
        error={form.errorOf('display_name')}
      >
        <TextInput
          id={displayName}
          value={form.values.display_name}
          autoComplete="off"
          error={Boolean(form.errorOf('display_name'))}
          onChange={(event) => form.set('display_name', event.currentTarget.value)}
          onBlur={() => form.leave('display_name')}
        />
      </Field>
    </div>
  );
}

function GroupField({ form, groups }: { form: Form; groups: readonly string[] | undefined }) {
  const { t } = useTranslation('users');
  const id = useId();
  const { group } = form.values;
  // The user keeps a group that was removed from the settings.
  const options = [...new Set([...(groups ?? []), group])];
  return (
    <Field label={t('form.group')} htmlFor={id} error={form.errorOf('group')}>
      <Select
        id={id}
        data={options}
        value={group}
        allowDeselect={false}
        error={Boolean(form.errorOf('group'))}
        onChange={(next) => form.set('group', next ?? group)}
      />
    </Field>
  );
}

function PasswordField({ form, isNew }: { form: Form; isNew: boolean }) {
  const { t } = useTranslation('users');
  const { t: ui } = useTranslation('ui');
  const id = useId();
  const [shown, setShown] = useState(false);
  return (
    <Field
      label={isNew ? t('form.password') : t('form.newPassword')}
      htmlFor={id}
      required={isNew}
      hint={isNew ? t('form.passwordHint') : t('form.newPasswordHint')}
      error={form.errorOf('password')}
    >
      <div className={`flex8 ${classes.withAction}`}>
        <PasswordInput
          id={id}
          value={form.values.password}
          autoComplete="new-password"
          visible={shown}
          onVisibilityChange={setShown}
          visibilityToggleButtonProps={{ 'aria-label': shown ? ui('secret.hide') : ui('secret.reveal') }}
          aria-required={isNew}
          error={Boolean(form.errorOf('password'))}
          aria-invalid={Boolean(form.errorOf('password'))}
          onChange={(event) => form.set('password', event.currentTarget.value)}
          onBlur={() => {
            if (form.values.password !== '') form.leave('password');
          }}
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
