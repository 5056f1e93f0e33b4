/** For whom the reader acts: their own account or an organization, the invitations to them, and a new organization. */
import { Menu, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconBuilding, IconCheck, IconMail, IconPlus, IconSelector, IconUser } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ROLE_WORDS } from '#contract/admin/organization-role-words.ts';
import { languageOf } from '#contract/language.ts';
import { organizationQuery } from '#web/api/queries.ts';
import { useScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';
import { Pill } from '#web/ui/badge/tag.tsx';
import { NewOrganizationPlace, useOwnOrganizations } from './scope-place.tsx';
import { useOpenScope } from './use-open-scope.ts';
import { initials } from './user-menu.tsx';
import classes from './top-bar.module.css';

const ICON = { size: 15, stroke: 1.6 };

export function ScopeMenu({ isTile = false }: { isTile?: boolean }) {
  const { t } = useTranslation('shell');
  const user = useUser();
  const scope = useScope();
  const { isError } = useQuery({ ...organizationQuery, enabled: scope !== undefined });
  const [isNew, setIsNew] = useState(false);
  if (user === undefined) return null;
  const personal = user.display_name || user.username;
  // Of one that the reader does not belong to the server says nothing, not even its name.
  const unnamed = isError ? t('scope.unavailable') : '…';
  const name = scope === undefined ? personal : scope.name || unnamed;
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <UnstyledButton className={`row6 ${classes.scope}`} data-shared={scope ? true : undefined}>
            <VisuallyHidden>{`${t('scope.label')}: `}</VisuallyHidden>
            <Shown name={name} isTile={isTile} isShared={scope !== undefined} />
            <IconSelector size={13} stroke={1.6} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown aria-label={t('scope.label')}>
          <Accounts personal={personal} />
          <More onNew={() => setIsNew(true)} />
        </Menu.Dropdown>
      </Menu>
      {isNew ? <NewOrganizationPlace onClose={() => setIsNew(false)} /> : null}
    </>
  );
}

function Shown({ name, isTile, isShared }: { name: string; isTile: boolean; isShared: boolean }) {
  const invited = useOwnOrganizations()?.invited ?? 0;
  const Icon = isShared ? IconBuilding : IconUser;
  return (
    <>
      <Icon {...ICON} aria-hidden />
      {isTile ? (
        <>
          <VisuallyHidden>{name}</VisuallyHidden>
          <b aria-hidden>{initials(name)}</b>
        </>
      ) : (
        <b className="cut">{name}</b>
      )}
      {invited > 0 && !isTile ? <Pill>{invited}</Pill> : null}
    </>
  );
}

function Accounts({ personal }: { personal: string }) {
  const { t, i18n } = useTranslation('shell');
  const language = languageOf(i18n.language);
  const scope = useScope();
  const own = useOwnOrganizations();
  const open = useOpenScope();
  const check = (isHere: boolean) => (isHere ? <IconCheck size={14} stroke={2} aria-hidden /> : undefined);
  return (
    <>
      <Menu.RadioItem
        value="personal"
        checked={scope === undefined}
        rightSection={check(scope === undefined)}
        onChange={() => scope && open(undefined)}
      >
        <Account name={personal} note={t('scope.personal')} />
      </Menu.RadioItem>
      {own?.items.map(({ id, name, role, suspended }) => (
        <Menu.RadioItem
          key={id}
          value={String(id)}
          checked={scope?.id === id}
          rightSection={check(scope?.id === id)}
          onChange={() => scope?.id !== id && open({ id, name, role, suspended, group: '' })}
        >
          <Account name={name} note={suspended ? t('scope.suspended') : ROLE_WORDS[role][language]} />
        </Menu.RadioItem>
      ))}
    </>
  );
}

function More({ onNew }: { onNew: () => void }) {
  const { t } = useTranslation('shell');
  const { invited = 0, can_create: mayCreate = false } = useOwnOrganizations() ?? {};
  return (
    <>
      {mayCreate || invited > 0 ? <Menu.Divider /> : null}
      {invited > 0 ? (
        <Menu.Item
          leftSection={<IconMail {...ICON} aria-hidden />}
          rightSection={<Pill>{invited}</Pill>}
          renderRoot={(props) => <Link {...props} to="/invitation" />}
        >
          {t('scope.invitations')}
        </Menu.Item>
      ) : null}
      {mayCreate ? (
        <Menu.Item leftSection={<IconPlus {...ICON} aria-hidden />} onClick={onNew}>
          {t('scope.create')}
        </Menu.Item>
      ) : null}
    </>
  );
}

function Account({ name, note }: { name: string; note: string }) {
  return (
    <span className={classes.account}>
      <span className="cut">{name}</span>
      <span className="note">{note}</span>
    </span>
  );
}
